#pragma once

#include <atomic>

#include "kiln/error.hpp"

namespace kiln {

/// A child of fork() has none of the threads of a driver that its parent has loaded: whatever it
/// enqueued would be waited for without end. From the first call of note_drivers() on, which all
/// that opens devices makes, children are told apart.
void note_drivers();
/// What is said in such a child.
Error error_after_fork();
namespace detail {
extern std::atomic<bool> forked_with_drivers;
}
inline bool is_forked_with_drivers() noexcept {
  return detail::forked_with_drivers.load(std::memory_order_relaxed);
}
/// Throws error_after_fork() in such a child.
inline void refuse_after_fork() {
  if (is_forked_with_drivers()) throw error_after_fork();
}

}  // namespace kiln
