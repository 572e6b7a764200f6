#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/request.hpp"

namespace kiln {

/// A device as a record of calls names it.
struct RecordedDevice {
  std::string name;
  std::string fingerprint;  ///< the first 16 letters of the digest of Device::fingerprint()
  std::int64_t units = 0;   ///< compute units: tells a sub-device from the whole

  static RecordedDevice of(const Device& device);
  bool operator==(const RecordedDevice&) const = default;
};

/// A kind of call that an application made, and how often: plain data. docs/formats/calls.md
/// describes the file.
struct RecordedCall {
  std::string kind;         ///< of front end: "blas", "spec", "kernel", "loop", "matrix"
  std::string name;         ///< for people: "dgemm", a kernel's name
  std::vector<Fact> facts;  ///< what tells it from others of its kind: whole numbers and texts
  std::vector<RecordedDevice> devices;  ///< one for each queue that shared a call
  double flops = 0, bytes = 0;          ///< of one call, at least; both 0 where nobody knows

  std::uint64_t count = 0;       ///< calls
  std::uint64_t host_ns = 0;     ///< in which the calls were enqueued, all together
  std::uint64_t prepare_ns = 0;  ///< in which programs were found or made for them
  std::uint64_t timed = 0;       ///< calls whose time on the device is known
  std::uint64_t device_ns = 0;   ///< of those, all together

  double estimated_ns = 0;  ///< of one call on the device; set by read_calls()
  double share = 0;         ///< of the time of all calls that were read, 0 to 1; the same

  const Fact* fact(std::string_view name) const;
  /// "" and `otherwise` where there is no such fact, or it is of the other type.
  std::string_view text(std::string_view name) const;
  std::int64_t number(std::string_view name, std::int64_t otherwise = 0) const;
};

/// The parts of a line of the file before the counters: equal for equal calls.
std::string identity_line(const RecordedCall& call);
/// That, and the counters: a line with its line feed.
std::string recorded_line(std::string_view identity, const RecordedCall& counters);

/// What a file holds.
struct RecordedCalls {
  std::vector<RecordedCall> calls;  ///< equal ones added up; the largest share of the time first
  std::uint64_t lines_cut = 0;      ///< left out: their writer was killed in the midst of them
};

/// Reads a record of calls, and estimates what part of the time on the devices each takes: by the
/// times that were taken, else by the work that the calls do, on the scale of what was timed on the
/// same device. Errors: those of read_input(); bad_input, one line with file and line, for what is
/// no such record, and where it has no calls.
Expected<RecordedCalls> read_calls(const std::filesystem::path& file);
/// The same of a text; `name` stands for the file in messages.
Expected<RecordedCalls> parse_calls(std::string_view text, const std::string& name);

}  // namespace kiln
