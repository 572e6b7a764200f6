#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/data/text.hpp"
#include "base/lifetime.hpp"
#include "base/log.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "store/layer/fork_guard.hpp"

// The record of a process's calls: the file, and the thread that writes it.
namespace kiln {
namespace {

/// Whether the file ends in the midst of a line: its writer was killed.
bool ends_in_a_line(int file) {
  struct stat status {};
  char last = '\n';
  return ::fstat(file, &status) == 0 && status.st_size > 0 &&
         ::pread(file, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

/// An empty file does, and one whose first writer was killed in the midst of its first line.
bool begins_as_record(int file) {
  constexpr std::string_view beginning = "{\"kiln_calls\":";
  char text[beginning.size()];
  const ssize_t size = ::pread(file, text, sizeof text, 0);
  return size >= 0 && beginning.starts_with(std::string_view(text, static_cast<std::size_t>(size)));
}

}  // namespace

Expected<std::unique_ptr<CallLog>> CallLog::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, a named pipe would be waited for, or written to until it is full.
  FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644));
  if (!file) return tl::unexpected(io_error("open", path, errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return tl::unexpected(io_error("read", path, errno));
  if (!S_ISREG(status.st_mode))
    return fail(Errc::bad_input, one_line(path.string()) + ": expected a regular file");
  if (!begins_as_record(file.get()))
    return fail(Errc::bad_input, one_line(path.string()) +
                                     ": not a record of calls, so it is not written to; "
                                     "expected a record or a new file");
  return std::unique_ptr<CallLog>(new CallLog(std::move(file), path));
}

CallCounter* CallLog::counter(const RecordedCall& call) {
  std::string identity = identity_line(call);
  const std::lock_guard lock(mutex_);
  if (const auto known = counters_.find(identity); known != counters_.end()) return &known->second;
  // JSON holds UTF-8 alone: identity_line() has put U+FFFD in the place of other bytes.
  if (identity.find("\xEF\xBF\xBD") != std::string::npos)
    log(LogLevel::warning,
        "a recorded call names a file or device that is not UTF-8, so that kiln "
        "prebuild will not find it: " +
            one_line(identity.substr(0, 300)));
  if (counters_.size() >= most_kinds) {
    if (!std::exchange(full_, true))
      log(LogLevel::warning, one_line(path_.string()) + ": no further kinds of calls are recorded");
    return nullptr;
  }
  return &counters_[std::move(identity)];
}

std::string CallLog::take_new_lines() {
  std::string text;
  for (auto& [identity, counter] : counters_) {
    if (counter.totals_[CallCounter::count] == 0 && counter.totals_[CallCounter::timed] == 0)
      continue;
    RecordedCall fresh;
    for (std::size_t i = 0; i < std::size(call_totals); ++i)
      fresh.*call_totals[i].value = counter.totals_[i].exchange(0);
    text += recorded_line(identity, fresh);
  }
  return text;
}

void CallLog::write() {
  const std::lock_guard lock(mutex_);
  std::string text = take_new_lines();
  if (text.empty()) return;
  // Others would write in the midst of our lines, where the system needs several writes for them.
  const bool alone = lock_file(file_.get(), std::chrono::milliseconds(100));
  if (ends_in_a_line(file_.get())) text.insert(0, 1, '\n');
  if (const auto written = write_all(file_.get(), as_bytes(text), path_); !written)
    log(LogLevel::warning, "calls are not recorded: " + written.error().message());
  if (alone) ::flock(file_.get(), LOCK_UN);
}

/// Writes a log now and then, and when it goes: at the end of the process, or where the library is
/// unloaded, whose code no thread may then run.
class CallLogThread final : private ForkGuarded {
 public:
  explicit CallLogThread(CallLog& log) : log_(log) {
    watch();
    const SignalsBlocked blocked;
    try {
      thread_ = std::make_unique<std::jthread>([this](const std::stop_token& stop) { run(stop); });
    } catch (const std::exception&) {
      kiln::log(LogLevel::warning, "no thread for the record of calls: it is written at the end");
    }
  }
  ~CallLogThread() override {
    unwatch();
    thread_.reset();
    log_.write();
  }

 private:
  void before_fork() override { log_.mutex_.lock(); }
  /// There is no thread in the child, and what was counted is the parent's. The child's own calls
  /// are written when it ends: few make any, since most drivers forbid OpenCL after fork().
  void after_fork() override {
    if (process_ != ::getpid()) {
      process_ = ::getpid();
      static_cast<void>(thread_.release());  // not destroyed: that would wait for it
      log_.take_new_lines();
    }
    log_.mutex_.unlock();
  }

  void run(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    for (;;) {
      never.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
      if (stop.stop_requested()) return;
      log_.write();
    }
  }

  CallLog& log_;
  pid_t process_ = ::getpid();
  std::unique_ptr<std::jthread> thread_;
};

CallLog* CallLog::process() {
  // Never destroyed: callers keep counters for as long as the process lives.
  static CallLog* const log_of_process = []() -> CallLog* {
    // A program with more rights than its user must not write where he says.
    const char* path = ::secure_getenv("KILN_RECORD");
    if (path == nullptr || *path == '\0' || std::string_view(path) == "off") return nullptr;
    std::error_code ignored;
    auto opened = open(std::filesystem::absolute(path, ignored));
    if (opened) return opened->release();
    log(LogLevel::warning, "KILN_RECORD: " + opened.error().message());
    return nullptr;
  }();
  if (log_of_process != nullptr) static CallLogThread thread(*log_of_process);
  return log_of_process;
}

}  // namespace kiln
