#pragma once

#include <cstddef>
#include <vector>

#include "device/host_array.hpp"
#include "device/transfer.hpp"

namespace kiln {

/// The copies of an Array's bytes: one on the host, one in each context that used it, or the
/// application's own buffer; and which of them are current. Where a device works in the host's
/// memory, its copy is the host's. Transfers are made when a copy is asked for. One thread at a
/// time.
///
/// Commands that use it are known in one of two ways. on_device() is for any queues: it gives the
/// events to wait for, and is told those of the commands. on_queue() is for an array that only one
/// queue uses, in order: it needs no events, and costs a load where the copy is current.
class ArrayStorage {
 public:
  /// Zeros; nothing is allocated before the first use. `bytes` is 1 at least.
  explicit ArrayStorage(std::size_t bytes) : bytes_(bytes) {}
  /// The application's buffer, from a byte on; it is retained. `queue` is one of its context, for
  /// bringing it to the host. Throws Error: bad_input where the buffer ends before, or where the
  /// device cannot begin a buffer there.
  ArrayStorage(cl_mem memory, std::size_t offset, std::size_t bytes, Queue queue);
  /// Over memory that has contents already.
  explicit ArrayStorage(HostArray memory) : bytes_(memory.size()), host_(std::move(memory)) {}
  /// Waits for the commands that read_by() and written_by() told of. Those of on_queue() must have
  /// ended.
  ~ArrayStorage();
  ArrayStorage(ArrayStorage&&) = default;
  ArrayStorage& operator=(ArrayStorage&&) = default;  ///< no command uses the old memory any more

  std::size_t bytes() const { return bytes_; }

  enum class HostUse { read, write, overwrite };
  /// The host's copy. To read: current, after all that write it. To write: nothing uses it any
  /// more, and it alone is current. To overwrite: the same, but nothing is brought from a device.
  std::byte* on_host(HostUse use);

  /// The copy in the queue's context, as it will be once all of `after` is complete: events that
  /// this call appends, not to be released. Transfers are enqueued; only data that come from
  /// another context are waited for.
  cl_mem on_device(const Queue& queue, std::vector<cl_event>& after);
  /// From now on the copy that on_device() gave may be retained by others, and used by them after
  /// this object is gone.
  void share_copy(const Queue& queue);
  /// A command on the queue that was given on_device() reads it, or writes it, until `done`
  /// (retained).
  void read_by(const Queue& queue, cl_event done);
  void written_by(const Queue& queue, cl_event done);
  /// The same of commands that have ended: nothing has to wait for them.
  void written_by(const Queue& queue);

  /// The same for the one queue of an array: its copy is current for all commands that are enqueued
  /// from now on. Always the same queue.
  cl_mem on_queue(const Queue& queue) {
    if (on_queue_ != nullptr) [[likely]]
      return on_queue_;
    return bring_to_queue(queue);
  }
  /// Commands that were enqueued to it write the array.
  void written_on_queue() { is_written_on_queue_ = true; }
  bool is_written_on_queue() const { return is_written_on_queue_; }
  /// New contents for all of it. Small ones that the queue has already are enqueued: nothing waits
  /// for what the device does.
  void overwrite_on_queue(const Queue& queue, ByteView contents);
  /// The host's bytes of a range were changed: they alone go to the queue's copy, whose others may
  /// be newer than the host's.
  void bring_part_to_queue(const Queue& queue, const ByteRange& range);

  /// The host's bytes, current or not.
  HostArray& host();
  /// Whether there is another copy than the host's, which commands may still use.
  bool is_on_devices() const { return !copies_.empty(); }
  /// Of an array with one queue: whether its copy there is the host's.
  bool is_shared_with_queue() const {
    return !copies_.empty() && copies_.front().buffer.is_host_memory;
  }

 private:
  struct Copy {
    Queue queue;  ///< the last one that used it
    Buffer buffer;
    bool is_current = false;
    bool is_shared = false;  ///< its memory stays as long as the buffer
  };
  Copy* copy_in(cl_context context);
  Copy& make_copy(const Queue& queue);
  /// A command that uses a copy, and the context of its queue: OpenCL's commands can only wait for
  /// events of their own context.
  struct Use {
    cl::Event done;
    cl_context context = nullptr;
  };
  cl_mem bring_to_queue(const Queue& queue);
  void wait_for_queue(HostUse use);
  void bring_to_host();
  void upload(Copy& copy);
  static void wait_for(std::vector<Use>& uses);

  std::size_t bytes_;
  HostArray host_;
  bool host_is_current_ = true;  ///< before the first use: zeros that are not yet there
  std::vector<Copy> copies_;
  std::vector<Use> reads_;     ///< commands that may still read some copy
  std::vector<Use> writes_;    ///< commands that make the current copies what they are
  cl_mem on_queue_ = nullptr;  ///< the copy of the array's one queue, where it is current
  bool is_written_on_queue_ = false;
};

}  // namespace kiln
