#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernel/resolver/resolver.hpp"
#include "kiln/run.hpp"
#include "kiln/spec.hpp"
#include "schedule/partition.hpp"

/// `kiln verify`: whether a kernel gives the same result whole and split.
namespace kiln::spec {

/// What one split of a kernel turned out to be.
struct Verdict {
  std::string split;    ///< as given: "3", "1:2", "auto"
  std::string outcome;  ///< "equal", "refused", "wrong"
  std::string reason;   ///< why refused, where wrong
};

struct VerifyOptions {
  Symbols symbols;
  SpecDialect dialect = SpecDialect::automatic;
  std::vector<std::filesystem::path> source_dirs;
  std::int64_t dataset = 0;  ///< 0: what the symbols say
  double rtol = 0;           ///< 0: to the bit
  /// Whether the whole runs have zones around each buffer, so that a kernel which writes outside of
  /// one is an Error (device).
  Bounds bounds = Bounds::checked;
};

/// Runs a spec whole on one device of each kind, and then with every split, merged and (where Kiln
/// would do so later) in place or with slices, on random data. Every element of a split result must
/// be what one of those devices computes alone: kinds of devices round differently, so no one of
/// them is the truth for all. Calls `report` for each split. Throws kiln::Error where the spec does
/// not run at all.
void verify_spec(const std::string& file, const VerifyOptions& options,
                 const std::vector<Partition>& splits, Resolver& resolver,
                 const std::vector<Queue>& queues,
                 const std::function<void(const Verdict&)>& report);

}  // namespace kiln::spec
