#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"
#include "base/log.hpp"
#include "device/host_array.hpp"
#include "device/opencl.hpp"
#include "device/transfer.hpp"
#include "kernel/program/launch.hpp"
#include "schedule/job.hpp"
#include "schedule/split.hpp"

/// One device's side of a run: the Job's buffers and Launch there, guard zones that show writes
/// outside of a buffer, and the times of its commands.
namespace kiln {

/// Device time of a command that is complete, ns; 0 where its queue takes none.
std::int64_t duration_ns(const cl::Event& command);

/// Commands of one queue, with the device's own times put on the host's clock (ClockDistance).
class QueueTimeline {
 public:
  explicit QueueTimeline(std::string lane) : lane_(std::move(lane)) {}

  /// Remembers a command that is being enqueued. `enqueued_ns` is now_ns() just before the call.
  /// `id` and `after`: as a TraceEvent has them.
  void add(std::string name, std::string category, cl::Event event, std::int64_t enqueued_ns,
           std::uint32_t id = 0, std::vector<std::uint32_t> after = {});

  /// Sum of the durations of one category, ns; the commands must have completed.
  std::int64_t total_ns(std::string_view category) const;
  /// Start and end of every command, on the host's clock.
  void send(TraceSink& sink) const;
  void clear() { commands_.clear(); }
  /// Waits until every command has ended, well or badly, for devices that cannot be waited for any
  /// more; at most `limit`.
  void settle(std::chrono::milliseconds limit) const;

 private:
  struct Command {
    std::string name, category;
    cl::Event event;
    std::int64_t enqueued_ns;
    std::uint32_t id;
    std::vector<std::uint32_t> after;
  };
  std::string lane_;
  std::vector<Command> commands_;
};

/// Writes outside of a buffer, as its guard zones show them.
struct Overrun {
  struct Side {
    std::size_t elements = 0;  ///< that were changed
    std::size_t distance = 0;  ///< elements between the buffer and the nearest of them
  };
  Side before, behind;
};

/// A buffer of device memory between two guard zones: a kernel that writes just before or
/// behind it changes them. What it writes beyond them, and what it only reads, shows
/// nothing. Belongs to one thread at a time; the queue is in order.
class GuardedBuffer {
 public:
  GuardedBuffer() = default;
  /// The zones are as large as the buffer, but 64 KiB to 256 KiB each, and smaller (or none) where
  /// the device's largest allocation leaves no room. Throws kiln::Error.
  GuardedBuffer(const Queue& queue, std::size_t bytes);

  /// The buffer itself: a sub-buffer where there are zones.
  const Buffer& inner() const { return inner_; }
  /// Waits for the queue, compares the zones, and puts right what was changed. Nothing comes back
  /// where all is as it was.
  std::optional<Overrun> check(const Queue& queue, std::size_t element_bytes);

 private:
  void write_zones(const Queue& queue);
  Buffer outer_, inner_;
  std::size_t zone_ = 0;
};

/// For messages: "2 elements behind its end, the first at element 100 (byte 400)".
std::string text_of(const Overrun& overrun, std::size_t bytes, std::size_t element_bytes);

/// A Job on one device: its Launch and buffers. Buffers are whole on every device (a work-item
/// finds its data at its real global id). Belongs to one thread at a time.
class Placement {
 public:
  /// OwnMemory::always copies as to a device with memory of its own, on any device; guarded
  /// does, too, with zones around each buffer that show what is written outside of it
  /// (GuardedBuffer).
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
