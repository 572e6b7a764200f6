#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "kiln/runtime.hpp"
#include "python/core/errors.hpp"

/// How long calls run: without the interpreter's lock, and so that Ctrl-C ends them.
namespace kiln::python {

/// How often a wait looks for signals.
constexpr auto signal_period = std::chrono::milliseconds(50);

/// A reference to an object of Python that threads without the interpreter's lock may hold, copy
/// and let go.
class Kept {
 public:
  Kept() = default;
  explicit Kept(py::object object)
      : object_(object.release().ptr(), [](PyObject* held) {
          // At the interpreter's end all objects go by themselves.
          if (held == nullptr || Py_IsInitialized() == 0) return;
          const py::gil_scoped_acquire lock;
          Py_DECREF(held);
        }) {}

 private:
  std::shared_ptr<PyObject> object_;
};

/// Work that one thread does and another one waits for.
class Task {
 public:
  explicit Task(std::function<void()> work) : work_(std::move(work)) {}
  /// Does the work, and tells those who wait.
  void run() noexcept;
  /// In Python's main thread, without the lock: returns when the work has ended, or throws
  /// pybind11::error_already_set where a signal's handler has raised an exception. What the work
  /// threw is thrown here.
  void wait_in_main_thread();
  /// In any thread, without the lock, deaf to signals: false where it has not ended by then.
  bool wait_for(std::chrono::milliseconds longest);

 private:
  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  std::exception_ptr error_;
};

/// Whether signals are handled in this thread. The interpreter's lock is held.
bool is_main_thread();

/// Gives a task to a thread that has nothing to do, or to a new one.
void run_in_background(std::shared_ptr<Task> task);

/// Does `work` without the interpreter's lock and returns its result. In the main thread an
/// exception that a signal's handler raises (KeyboardInterrupt) comes out at once; the work then
/// goes on to its end in the background, and so has to own all that it uses (objects of Python by
/// a Kept). The interpreter waits for it when it exits.
template <class Work>
std::invoke_result_t<Work&> without_lock(Work work) {
  using Result = std::invoke_result_t<Work&>;
  if (!is_main_thread()) {
    const py::gil_scoped_release unlocked;
    return work();
  }
  if constexpr (std::is_void_v<Result>) {
    const auto task = std::make_shared<Task>(std::move(work));
    const py::gil_scoped_release unlocked;
    run_in_background(task);
    task->wait_in_main_thread();
  } else {
    const auto result = std::make_shared<std::optional<Result>>();
    // The function must be one that can be copied, as std::function wants it.
    const auto shared = std::make_shared<Work>(std::move(work));
    const auto task = std::make_shared<Task>([result, shared] { result->emplace((*shared)()); });
    const py::gil_scoped_release unlocked;
    run_in_background(task);
    task->wait_in_main_thread();
    return std::move(**result);
  }
}

/// Waits for an event as without_lock() does; one that is complete after a few microseconds costs
/// no more than asking. The lock is held before and after.
void wait_for(const Event& event);

/// Calls `told` in a thread of Kiln's once an event has ended, well or not; at the interpreter's
/// exit, which does not wait for it, never. `told` must not throw. Without the interpreter's lock.
void when_ended(const Event& event, std::function<void()> told);

/// Called by the interpreter at its exit: waits for what goes on in the background.
void finish_background();

}  // namespace kiln::python
