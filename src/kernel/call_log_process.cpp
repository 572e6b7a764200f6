#include <pthread.h>
#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <thread>

#include "base/log.hpp"
#include "base/signals_blocked.hpp"
#include "kernel/call_log.hpp"

namespace kiln {

/// Writes a log now and then, and when it goes: at the end of the process, or where the library is
/// unloaded, whose code no thread may then run.
class CallLogThread {
 public:
  explicit CallLogThread(CallLog& log) : log_(log), state_(std::make_unique<State>()) {
    one = this;
    ::pthread_atfork([] { with_one(&CallLogThread::before_fork); },
                     [] { with_one(&CallLogThread::after_fork); },
                     [] { with_one(&CallLogThread::begin_in_child); });
    start();
  }
  CallLogThread(const CallLogThread&) = delete;
  CallLogThread& operator=(const CallLogThread&) = delete;
  ~CallLogThread() {
    one = nullptr;
    if (state_ && state_->thread.joinable()) {
      {
        const std::lock_guard lock(state_->mutex);
        state_->ends = true;
      }
      state_->wake.notify_all();
      state_->thread.join();
    }
    log_.write();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable wake;
    bool ends = false;
    std::thread thread;
  };

  static void with_one(void (CallLogThread::*what)()) {
    if (one != nullptr) (one->*what)();
  }
  void before_fork() { log_.mutex_.lock(); }
  void after_fork() { log_.mutex_.unlock(); }
  /// There is no thread in the child, and what was counted is the parent's. The child's own calls
  /// are written when it ends: few make any, since most drivers forbid OpenCL after fork().
  void begin_in_child() {
    // Not destroyed: that would wait for the thread.
    static_cast<void>(state_.release());
    log_.forget_counts();
    log_.mutex_.unlock();
  }

  void start() {
    const SignalsBlocked blocked;
    try {
      state_->thread = std::thread([this, state = state_.get()] { run(*state); });
    } catch (const std::exception&) {
      log(LogLevel::warning, "no thread for the record of calls: it is written at the end");
    }
  }

  void run(State& state) {
    std::unique_lock lock(state.mutex);
    while (!state.wake.wait_for(lock, std::chrono::seconds(1), [&] { return state.ends; }))
      log_.write();
  }

  static inline CallLogThread* one = nullptr;
  CallLog& log_;
  std::unique_ptr<State> state_;  ///< null in a child
};

CallLog* CallLog::process() {
  // Counters are used by whoever has them, as long as the process lives.
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
