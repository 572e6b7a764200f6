#pragma once

#include <mutex>
#include <type_traits>
#include <utility>

#include "python/core/waiting.hpp"

/// One thread at a time uses a Mesh; here, any of them: loops of threads that share one follow one
/// another, and so do a call and what an interrupted one has left in the background. No thread
/// waits for the turn with the interpreter's lock held.
namespace kiln::python {

std::timed_mutex& turn();

/// For what may wait or compile: as without_lock(), so `work` has to own all that it uses. What it
/// owns goes while the turn is held, since handles of a Mesh change it when they go.
template <class Work>
std::invoke_result_t<Work&> in_turn(Work work) {
  return without_lock([work = std::move(work)]() mutable {
    const std::lock_guard lock(turn());
    Work mine = std::move(work);
    return mine();
  });
}

/// For what takes microseconds: in this thread and with the interpreter's lock, so that `work` may
/// refer to the caller's variables and make objects.
template <class Work>
std::invoke_result_t<Work&> in_turn_now(Work work) {
  std::unique_lock lock(turn(), std::try_to_lock);
  while (!lock) {
    {
      const py::gil_scoped_release unlocked;
      (void)lock.try_lock_for(signal_period);
    }
    if (!lock && PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return work();
}

/// Of objects of Python that are handles of a Mesh: the last one runs what is queued for it.
struct DeleteInTurn {
  template <class Handle>
  void operator()(Handle* gone) const {
    const py::gil_scoped_release unlocked;
    const std::lock_guard lock(turn());
    delete gone;
  }
};

/// A class of such objects.
template <class Handle>
using HandleClass = py::class_<Handle, std::unique_ptr<Handle, DeleteInTurn>>;

}  // namespace kiln::python
