#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "kernel/launch.hpp"
#include "schedule/host_array.hpp"
#include "schedule/job.hpp"
#include "schedule/timeline.hpp"

namespace kiln {

/// A Job on one device: its Launch and buffers. Buffers are whole on every device (a work-item
/// finds its data at its real global id). Belongs to one thread at a time.
class Placement {
 public:
  Placement(Queue queue, Program& program, const Job& job, std::string lane);

  const Device& device() const { return *queue_.device(); }
  bool works_in_host_memory() const { return device().host_memory; }

  /// Binds written buffers to the result itself (no copy) or to memory of this placement's own.
  /// Matters on devices that work in host memory; others always have memory of their own.
  enum class Target { result, own };
  void bind(Target target);

  /// Brings what the kernel reads to the device: inputs, and the initial contents of what it
  /// writes. `initial(i)` is empty where argument i starts from zeros.
  void upload(const std::vector<ByteView>& initial);
  /// Enqueues the kernel over a part of the NDRange.
  void launch(const NDRange& range);
  /// Starts bringing back what was written: into the result, or into own memory for a merge.
  void download(Target target);
  void flush();
  /// Waits for all that was enqueued.
  void finish();

  /// What this device made of argument i; valid after finish().
  ByteView written(std::size_t argument) const;
  Queue& queue() { return queue_; }
  Launch& kernel() { return launch_; }
  QueueTimeline& timeline() { return timeline_; }

 private:
  struct Slot {
    Buffer device;     ///< what the kernel uses now
    Buffer on_result;  ///< over the caller's memory (host-memory devices)
    Buffer on_own;     ///< over `own`, or in device memory
    HostArray own;
    bool written = false;
  };
  const BufferArgument* buffer(std::size_t argument) const;
  void bind_slot(std::size_t argument, Target target);
  std::string name(const char* verb, std::size_t argument) const;

  Queue queue_;
  const Job& job_;
  Launch launch_;
  std::vector<Slot> slots_;
  QueueTimeline timeline_;
};

}  // namespace kiln
