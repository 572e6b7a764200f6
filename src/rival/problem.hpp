#pragma once

#include <array>
#include <memory>
#include <vector>

#include "blas/api/library.hpp"
#include "blas/call/call.hpp"
#include "device/context.hpp"

// What is measured on: a device with a queue and a BLAS of its own, and a call with operands there.
namespace kiln::rival {

/// The first device of a Runtime, and its BLAS, for measuring.
class Machine {
 public:
  /// `device` as on the command line; nothing is kept in a store. Throws Error where there is none.
  explicit Machine(const std::string& device);
  explicit Machine(Runtime runtime)
      : runtime_(std::move(runtime)),
        queue_(runtime_.state().queue(nullptr)),
        library_(blas::Library::of(runtime_.state())) {}
  const ContextPtr& context() const { return queue_.context(); }
  const Device& device() const { return *queue_.device(); }
  cl_command_queue queue() const { return queue_.cl()(); }
  blas::Library& library() { return library_; }

 private:
  Runtime runtime_;
  Queue queue_;
  blas::Library& library_;
};

/// A call with random numbers, in the memory of the device, and on the host. On a CPU device the
/// two are one.
class Problem {
 public:
  /// A call whose routine, precision, options and sizes are set; operands without memory get
  /// theirs: all contiguous. Diagonals of triangular matrices outweigh the rest. `machine` outlives
  /// it. Throws Error (bad_input) for sizes that are too large for memory.
  Problem(Machine& machine, const blas::Call& call);
  const blas::Call& call() const { return call_; }
  cl_command_queue queue() const { return machine_.queue(); }
  const std::array<void*, blas::slot_count>& memory() const { return memory_; }
  /// Whether the device works in memory() itself, where libraries for the host can have it, too.
  bool is_in_host_memory() const;
  /// Bytes of an argument.
  std::size_t bytes(blas::Slot slot) const { return bytes_[static_cast<std::size_t>(slot)]; }

  /// Milliseconds of a call of Kiln's, from before it to after it has finished; the mean of several
  /// in a row. Throws Error.
  double run(int calls = 1);

 private:
  void add(const blas::Use& use);

  Machine& machine_;
  blas::Call call_;
  std::vector<std::shared_ptr<void>> blocks_;
  std::vector<Buffer> buffers_;
  std::array<void*, blas::slot_count> memory_{};
  std::array<std::size_t, blas::slot_count> bytes_{};
};

using blas::contiguous;
using blas::is_compute_bound;
using blas::operations_of;
using blas::traffic_of;
/// All sizes the same.
blas::Call square(blas::Call call, std::size_t n);

}  // namespace kiln::rival
