#pragma once

#include <mutex>

#include "python/core/waiting.hpp"

/// One thread at a time uses a Mesh; here, any of them: loops of threads that share one follow one
/// another, and so do a call and what an interrupted one has left in the background.
namespace kiln::python {

std::mutex& turn();

/// For what may wait or compile: as without_lock().
template <class Work>
std::invoke_result_t<Work&> in_turn(Work work) {
  return without_lock([work = std::move(work)]() mutable {
    const std::lock_guard lock(turn());
    return work();
  });
}

/// For what takes microseconds: keeps the interpreter's lock where no other thread has the turn.
template <class Work>
std::invoke_result_t<Work&> in_turn_now(Work work) {
  {
    const std::unique_lock lock(turn(), std::try_to_lock);
    if (lock) return work();
  }
  return in_turn(std::move(work));
}

}  // namespace kiln::python
