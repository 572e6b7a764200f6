#include "python/core/waiting.hpp"

#include <unistd.h>

#include <chrono>
#include <deque>
#include <string_view>
#include <thread>

namespace kiln::python {
namespace {

/// Threads that do tasks; each stays for the next one.
class Workers {
 public:
  void run(std::shared_ptr<Task> task) {
    const std::lock_guard lock(mutex_);
    add(std::move(task));
  }

  /// False, and the task is left, where the interpreter ends.
  bool run_before_exit(std::shared_ptr<Task>& task) {
    const std::lock_guard lock(mutex_);
    if (!is_finishing_) add(std::move(task));
    return !is_finishing_;
  }

  /// False where tasks are still going on after that time.
  bool finish(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    is_finishing_ = true;
    return changed_.wait_for(lock, longest, [this] { return unfinished_ == 0; });
  }

 private:
  void add(std::shared_ptr<Task> task) {
    // First, since it may fail; it finds nothing to do before the lock is let go.
    if (idle_ <= tasks_.size()) std::thread([this] { work(); }).detach();
    ++unfinished_;
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      --idle_;
      std::shared_ptr<Task> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task->run();
      task.reset();
      lock.lock();
      if (--unfinished_ == 0) changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Task>> tasks_;
  std::size_t idle_ = 0, unfinished_ = 0;
  bool is_finishing_ = false;
};

/// Never destroyed: its threads outlive all destructors. A child of fork() has none of the threads,
/// and gets workers of its own.
Workers& workers() {
  static std::mutex mutex;
  static pid_t owner = 0;
  static Workers* current = nullptr;
  const std::lock_guard lock(mutex);
  if (const pid_t process = ::getpid(); owner != process) {
    owner = process;
    current = new Workers;
  }
  return *current;
}

/// Runs the handlers of signals that have come; throws what they raise.
void handle_signals() {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// The queue of an event's command; null for an event that the application completes.
cl_command_queue queue_of(cl_event event) {
  cl_command_queue queue = nullptr;
  ::clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr);
  return queue;
}

/// Whether the driver of a queue calls back as soon as an event has ended, as PoCL does. NVIDIA's
/// (580, on an H100) takes up to 20 ms.
bool calls_back_at_once(cl_command_queue queue) {
  cl_device_id device = nullptr;
  cl_platform_id platform = nullptr;
  char name[32] = "";  // a longer one is none of those that are looked for
  return ::clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) ==
             CL_SUCCESS &&
         ::clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr) ==
             CL_SUCCESS &&
         ::clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr) ==
             CL_SUCCESS &&
         std::string_view(name) == "Portable Computing Language";
}

/// Asks for about as long as it would take to wake a thread that waits: a short kernel has ended by
/// then. False where the event has not.
bool ends_soon(const Event& event) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  do {
    if (event.is_complete()) return true;
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

/// Does a task unless the interpreter ends: then it is never destroyed, since its objects of Python
/// cannot be let go any more.
void run_before_exit(std::function<void()> work) {
  auto task = std::make_shared<Task>(std::move(work));
  if (!workers().run_before_exit(task)) new std::shared_ptr<Task>(std::move(task));
}

/// What the driver calls when an event has ended, in a thread of its own, which must not be held
/// up.
void CL_CALLBACK tell_ended(cl_event, cl_int, void* held) {
  const std::unique_ptr<std::function<void()>> told(static_cast<std::function<void()>*>(held));
  run_before_exit(std::move(*told));
}

/// What the driver tells when an event has ended: a wait for it can be ended by a signal.
class Completion {
 public:
  /// Without the interpreter's lock: returns when the event has ended, or at once where the driver
  /// has no such call-back. How it ended is asked of the event: PoCL 3.1 tells the call-back that
  /// all went well whatever happened.
  static void wait(cl_event event) {
    const auto completion = std::make_shared<Completion>();
    // Owned by the call-back, which may come after this wait was ended.
    auto held = std::make_unique<std::shared_ptr<Completion>>(completion);
    if (::clSetEventCallback(event, CL_COMPLETE, &ended, held.get()) != CL_SUCCESS) return;
    held.release();
    completion->wait();
  }

 private:
  static void CL_CALLBACK ended(cl_event, cl_int, void* held) {
    const std::unique_ptr<std::shared_ptr<Completion>> completion(
        static_cast<std::shared_ptr<Completion>*>(held));
    (*completion)->end();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, signal_period, [this] { return has_ended_; })) {
      lock.unlock();
      handle_signals();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
};

}  // namespace

void Task::run() noexcept {
  std::exception_ptr error;
  try {
    work_();
  } catch (...) {
    error = std::current_exception();
  }
  work_ = nullptr;
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  has_ended_ = true;
  changed_.notify_all();
}

void Task::wait_in_main_thread() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, signal_period, [this] { return has_ended_; })) {
    lock.unlock();
    handle_signals();
    lock.lock();
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

bool Task::wait_for(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [this] { return has_ended_; });
}

bool is_main_thread() {
  static const auto main_thread =
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  return PyThread_get_thread_ident() == main_thread;
}

void run_in_background(std::shared_ptr<Task> task) { workers().run(std::move(task)); }

void wait_for(const Event& event) {
  const bool in_main_thread = is_main_thread();
  {
    const py::gil_scoped_release unlocked;
    if (event.is_complete()) return;
    if (!in_main_thread) return event.wait();
    if (const auto queue = queue_of(event.handle())) {
      ::clFlush(queue);
      if (ends_soon(event)) return;
      if (calls_back_at_once(queue)) {
        Completion::wait(event.handle());
        if (event.is_complete()) return;
      }
    }
  }
  without_lock([event] { event.wait(); });
}

void when_ended(const Event& event, std::function<void()> told) {
  const auto queue = queue_of(event.handle());
  if (queue != nullptr) ::clFlush(queue);
  // Of an event that the application completes PoCL 3.1 does not tell that it failed.
  if (queue != nullptr && calls_back_at_once(queue)) {
    auto held = std::make_unique<std::function<void()>>(told);
    if (::clSetEventCallback(event.handle(), CL_COMPLETE, &tell_ended, held.get()) == CL_SUCCESS) {
      held.release();
      return;
    }
  }
  std::thread([event, told = std::move(told)]() mutable {
    try {
      event.wait();
    } catch (const Error&) {
      // Who is told asks the event.
    }
    run_before_exit(std::move(told));
  }).detach();
}

void finish_background() {
  const py::gil_scoped_release unlocked;
  while (!workers().finish(signal_period)) handle_signals();
}

}  // namespace kiln::python
