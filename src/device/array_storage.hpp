#pragma once

#include <cstddef>
#include <vector>

#include "device/context.hpp"
#include "device/host_array.hpp"

namespace kiln {

/// The copies of an Array's bytes: one on the host, one in each context that used it, or the
/// application's own buffer; and which of them are current. Where a device works in the host's
/// memory, its copy is the host's. Transfers are made when a copy is asked for. One thread at a
/// time.
class ArrayStorage {
 public:
  /// Zeros; nothing is allocated before the first use. `bytes` is 1 at least.
  explicit ArrayStorage(std::size_t bytes) : bytes_(bytes) {}
  /// The application's buffer, from a byte on; it is retained. `queue` is one of its context, for
  /// bringing it to the host. Throws Error: bad_input where the buffer ends before, or where the
  /// device cannot begin a buffer there.
  ArrayStorage(cl_mem memory, std::size_t offset, std::size_t bytes, Queue queue);
  /// Waits for commands that use its memory.
  ~ArrayStorage();
  ArrayStorage(const ArrayStorage&) = delete;
  ArrayStorage& operator=(const ArrayStorage&) = delete;

  std::size_t bytes() const { return bytes_; }

  enum class HostUse { read, write, overwrite };
  /// The host's copy. To read: current, after all that write it. To write: nothing uses it any
  /// more, and it alone is current. To overwrite: the same, but nothing is brought from a device.
  std::byte* on_host(HostUse use);

  /// The copy in the queue's context, as it will be once all of `after` is complete: events that
  /// this call appends, not to be released. Transfers are enqueued; only data that come from
  /// another context are waited for.
  cl_mem on_device(const Queue& queue, std::vector<cl_event>& after);
  /// A command on the queue that was given on_device() reads it, or writes it, until `done`
  /// (retained).
  void read_by(const Queue& queue, cl_event done);
  void written_by(const Queue& queue, cl_event done);

 private:
  struct Copy {
    Queue queue;  ///< the last one that used it
    cl::Buffer buffer;
    bool is_current = false;
    bool is_host_memory = false;  ///< the same bytes as host_
  };
  Copy* copy_in(cl_context context);
  Copy& make_copy(const Queue& queue);
  /// A command that uses a copy, and the context of its queue: OpenCL's commands can only wait for
  /// events of their own context.
  struct Use {
    cl::Event done;
    cl_context context = nullptr;
  };
  HostArray& host();
  void bring_to_host();
  void upload(Copy& copy);
  static void wait_for(std::vector<Use>& uses);

  std::size_t bytes_;
  HostArray host_;
  bool host_is_current_ = true;  ///< before the first use: zeros that are not yet there
  std::vector<Copy> copies_;
  std::vector<Use> reads_;   ///< commands that may still read some copy
  std::vector<Use> writes_;  ///< commands that make the current copies what they are
};

}  // namespace kiln
