#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/file_descriptor.hpp"
#include "kernel/recorded_call.hpp"

namespace kiln {

/// How often a kind of call came, and how long it took. Lives as long as its CallLog. Thread-safe,
/// takes no lock.
class CallCounter {
 public:
  void add_call(std::int64_t host_ns) noexcept { add(count_, 1), add(host_ns_, host_ns); }
  void add_prepare(std::int64_t ns) noexcept { add(prepare_ns_, ns); }
  void add_timed(std::int64_t device_ns) noexcept { add(timed_, 1), add(device_ns_, device_ns); }

 private:
  friend class CallLog;
  using Number = std::atomic<std::uint64_t>;
  static void add(Number& to, std::int64_t value) noexcept {
    if (value > 0) to.fetch_add(static_cast<std::uint64_t>(value), std::memory_order_relaxed);
  }
  Number count_{0}, host_ns_{0}, prepare_ns_{0}, timed_{0}, device_ns_{0};
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
  void forget_counts();

  std::mutex mutex_;
  FileDescriptor file_;
  std::filesystem::path path_;
  std::map<std::string, CallCounter, std::less<>> counters_;  ///< by identity_line()
  bool full_ = false;
};

}  // namespace kiln
