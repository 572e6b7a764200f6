#include "device/retired_queues.hpp"

#include <array>
#include <mutex>
#include <utility>

#include "base/lifetime.hpp"

namespace kiln {

void retire_queue(cl::CommandQueue queue, DevicePtr device) {
  struct Retired {
    DevicePtr device;  // outlives the queue, so it stands before it
    cl::CommandQueue queue;
  };
  struct Ring {
    std::mutex mutex;
    std::array<Retired, retired_queues> queues;
    std::size_t next = 0;
  };
  // At the end of a process the driver may be gone before its statics are.
  static NeverDestroyed<Ring> kept;
  Ring& ring = *kept;
  Retired retired{std::move(device), std::move(queue)};
  {
    const std::lock_guard lock(ring.mutex);
    std::swap(ring.queues[ring.next], retired);
    ring.next = (ring.next + 1) % retired_queues;
  }
  // The oldest is released here, outside the lock: this may free a context.
}

}  // namespace kiln
