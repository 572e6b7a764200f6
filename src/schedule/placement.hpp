#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "kernel/launch.hpp"
#include "schedule/guard.hpp"
#include "schedule/host_array.hpp"
#include "schedule/job.hpp"
#include "schedule/slices.hpp"
#include "schedule/timeline.hpp"

namespace kiln {

/// A Job on one device: its Launch and buffers. Buffers are whole on every device (a work-item
/// finds its data at its real global id). Belongs to one thread at a time.
class Placement {
 public:
  /// OwnMemory::always copies as to a device with memory of its own, whatever the device; guarded
  /// does, too, with zones around each buffer that show what is written outside of it (guard.hpp).
  enum class OwnMemory { where_needed, always, guarded };
  Placement(Queue queue, Program& program, const Job& job, std::string lane, OwnMemory memory);

  const Device& device() const { return *queue_.device(); }
  bool works_in_host_memory() const { return host_memory_; }

  /// Binds written buffers to the result itself (no copy) or to memory of this placement's own.
  /// Matters on devices that work in host memory; others always have memory of their own.
  enum class Target { result, own };
  void bind(Target target);

  using Ranges = std::vector<std::optional<ByteRange>>;  ///< one an argument

  /// Brings what the kernel reads to the device: inputs, and the initial contents of what it
  /// writes. `initial[i]` is empty where argument i starts from zeros. Of arguments that have a
  /// range, only those bytes. Reset::no leaves host memory as another placement has reset it.
  enum class Reset { yes, no };
  void upload(const std::vector<ByteView>& initial, const Ranges& ranges, Reset reset);
  /// Enqueues the kernel over a part of the NDRange.
  void launch(const NDRange& range);
  /// Starts bringing back what was written: into the result, or into own memory for a merge. Of
  /// arguments that have a range only those bytes, and always into the result.
  void download(Target target, const Ranges& ranges);
  void flush();
  /// Waits for all that was enqueued; where the device cannot be waited for, for two seconds at
  /// most. Throws kiln::Error (device) then, and where a guarded buffer's zones show that
  /// the kernel wrote outside of it.
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
    GuardedBuffer guarded;
    HostArray own;
    bool written = false;
  };
  const BufferArgument* buffer(std::size_t argument) const;
  void reset_in_place(std::size_t argument, ByteView contents);
  void transfer_in(std::size_t argument, ByteView contents, const ByteRange& range);
  void check_guards();
  void bind_slot(std::size_t argument, Target target);
  std::string name(const char* verb, std::size_t argument) const;

  Queue queue_;
  const Job& job_;
  Launch launch_;
  std::vector<Slot> slots_;
  QueueTimeline timeline_;
  OwnMemory memory_;
  bool host_memory_;
};

}  // namespace kiln
