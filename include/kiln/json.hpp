#pragma once

#include <span>
#include <string>

#include "kiln/api.hpp"

/// Results as JSON: one object on one line, the same that the command prints with --json. Bytes
/// that are no UTF-8 (names come from files) are replaced. Thread-safe.
namespace kiln {

struct DeviceInfo;
struct DriverTopic;
struct EntryInfo;
struct GcReport;
struct GraphReport;
struct RunSummary;
struct StoreCheck;
struct StoreExplanation;
struct StoreFault;
struct StoreStatistics;
namespace spec {
struct SpecResult;
struct Verdict;
}  // namespace spec

/// kiln devices
KILN_API std::string json_of(const DeviceInfo& device);
/// kiln devices --verbose: with what its driver was found to do
KILN_API std::string json_of(const DeviceInfo& device, std::span<const DriverTopic> findings);

/// kiln store ls
KILN_API std::string json_of(const EntryInfo& entry);
/// kiln store explain
KILN_API std::string json_of(const StoreExplanation& explanation);
/// kiln store info, but for what the options and the list of trusted keys say
KILN_API std::string json_of(const StoreStatistics& statistics);
/// kiln store verify: its counts, and each fault
KILN_API std::string json_of(const StoreCheck& check);
KILN_API std::string json_of(const StoreFault& fault);
/// kiln store gc
KILN_API std::string json_of(const GcReport& report);

/// The part of kiln run's that is about time and devices
KILN_API std::string json_of(const RunSummary& summary);
/// kiln run; with programs also what --explain adds
enum class Programs : bool { left_out, included };
KILN_API std::string json_of(const spec::SpecResult& result, Programs programs);
inline std::string json_of(const spec::SpecResult& result) {
  return json_of(result, Programs::left_out);
}
/// kiln verify: of one split of the file
KILN_API std::string json_of(const spec::Verdict& verdict);

/// kiln graph plan, kiln graph explain
KILN_API std::string json_of(const GraphReport& report);

}  // namespace kiln
