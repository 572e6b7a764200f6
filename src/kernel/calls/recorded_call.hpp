#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/file.hpp"
#include "device/device.hpp"
#include "kernel/request/request.hpp"

// The calls that a process makes: counted while it runs, written to a file, and read again.
namespace kiln {

/// A device as a record of calls names it.
struct RecordedDevice {
  std::string name;
  std::string fingerprint;  ///< the first 16 letters of the digest of Device::fingerprint()
  std::int64_t units = 0;   ///< compute units: tells a sub-device from the whole

  static RecordedDevice of(const Device& device);
  bool operator==(const RecordedDevice&) const = default;
};

/// Devices of this machine that a record means, one for each: of the same fingerprint, whole or a
/// sub-device of as many compute units. Error: not_found, with the name of the one that is absent.
Expected<std::vector<DevicePtr>> find_devices(std::span<const RecordedDevice> recorded);

/// A kind of call that an application made, and how often: plain data. docs/formats/calls.md
/// describes the file.
struct RecordedCall {
  std::string kind;  ///< of front end: "blas", "spec", "kernel", "loop", "matrix"
  std::string name;  ///< for people: "dgemm", a kernel's name
  Facts facts;       ///< what tells it from others of its kind: integers and texts
  std::vector<RecordedDevice> devices;  ///< one for each queue that shared a call
  double flops = 0, bytes = 0;          ///< of one call, at least; both 0 where not known

  std::uint64_t count = 0;       ///< calls
  std::uint64_t host_ns = 0;     ///< in which the calls were enqueued, all together
  std::uint64_t prepare_ns = 0;  ///< in which programs were found or made for them
  std::uint64_t timed = 0;       ///< calls whose time on the device is known
  std::uint64_t device_ns = 0;   ///< of those, all together

  double estimated_ns = 0;  ///< of one call on the device; set by read_calls()
  double share = 0;         ///< of the time of all calls that were read, 0 to 1; the same
};

/// The numbers of a call that add up over its lines, as the file names them.
struct CallTotal {
  const char* name;
  std::uint64_t RecordedCall::*value;
};
inline constexpr CallTotal call_totals[] = {{"count", &RecordedCall::count},
                                            {"host_ns", &RecordedCall::host_ns},
                                            {"prepare_ns", &RecordedCall::prepare_ns},
                                            {"timed", &RecordedCall::timed},
                                            {"device_ns", &RecordedCall::device_ns}};

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

/// How often a kind of call came, and how long it took. Lives as long as its CallLog. Thread-safe,
/// takes no lock.
class CallCounter {
 public:
  void add_call(std::int64_t host_ns) noexcept { add(count, 1), add(host, host_ns); }
  void add_prepare(std::int64_t ns) noexcept { add(prepare, ns); }
  void add_timed(std::int64_t device_ns) noexcept { add(timed, 1), add(device, device_ns); }

 private:
  friend class CallLog;
  enum Total : std::size_t { count, host, prepare, timed, device };  // as in call_totals
  void add(Total total, std::int64_t value) noexcept {
    if (value > 0)
      totals_[total].fetch_add(static_cast<std::uint64_t>(value), std::memory_order_relaxed);
  }
  std::array<std::atomic<std::uint64_t>, std::size(call_totals)> totals_{};
};

/// The record of the calls of a process, written to a file that many processes may share: each
/// write() adds whole lines with what has come since the last one. Thread-safe.
class CallLog {
 public:
  /// Opens or makes the file: a regular one. Errors: io, not_found; bad_input for another kind.
  static Expected<std::unique_ptr<CallLog>> open(const std::filesystem::path& file);

  /// The log of this process, over the file that KILN_RECORD names; null where that is not set, is
  /// off, or the file cannot be opened, which a line in the log says. It is written every second by
  /// a thread of its own, which takes no signals, and at the end of the process.
  static CallLog* process();

  /// The counter of a kind of call; the call's own counters do not matter. Null where the log has
  /// too many kinds already.
  CallCounter* counter(const RecordedCall& call);

  /// Adds what is new to the file. A failure is said in the log, and what was new is lost.
  void write();

  static constexpr std::size_t most_kinds = 100'000;

 private:
  friend class CallLogThread;
  CallLog(FileDescriptor file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)) {}
  std::string take_new_lines();

  std::mutex mutex_;
  FileDescriptor file_;
  std::filesystem::path path_;
  std::map<std::string, CallCounter, std::less<>> counters_;  ///< by identity_line()
  bool full_ = false;
};

}  // namespace kiln
