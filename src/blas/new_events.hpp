#pragma once

#include <algorithm>
#include <array>

#include "blas/shape.hpp"

namespace kiln::blas {

/// The events of a call until it has succeeded. Queues beyond most_queues get no work. The caller's
/// array may be the wait list's, so that nothing is written there before the call is enqueued.
class NewEvents {
 public:
  NewEvents() = default;
  ~NewEvents() {
    for (auto* event : events_)
      if (event != nullptr) ::clReleaseEvent(event);
  }
  NewEvents(const NewEvents&) = delete;
  NewEvents& operator=(const NewEvents&) = delete;

  cl_event* data() { return events_.data(); }
  /// An entry for every queue, null for those without work.
  void hand_over(cl_event* to, std::size_t queues) {
    std::fill_n(to, queues, nullptr);
    std::copy_n(events_.begin(), std::min(queues, most_queues), to);
    events_.fill(nullptr);
  }

 private:
  std::array<cl_event, most_queues> events_{};
};

}  // namespace kiln::blas
