#pragma once

#include <array>
#include <memory>

#include "blas/call.hpp"
#include "blas/library.hpp"
#include "device/context.hpp"
#include "frame/statistics.hpp"

namespace kiln::bench {

/// A device with a queue and a BLAS of its own, for measuring.
class BlasMachine {
 public:
  /// `device` as on the command line. Throws kiln::Error where there is none.
  explicit BlasMachine(const std::string& device);
  const ContextPtr& context() const { return context_; }
  const Device& device() const { return *device_; }
  cl_command_queue queue() const { return queue_->cl()(); }
  blas::Library& library() { return library_; }

 private:
  DevicePtr device_;
  ContextPtr context_;
  std::unique_ptr<Queue> queue_;
  Resolver resolver_;
  blas::Library library_;
};

/// A square problem with random numbers, in the memory of the device, and on the host. On a CPU
/// device the two are one.
class BlasProblem {
 public:
  /// Matrices are n x n, vectors have n elements, all contiguous; diagonals of triangular matrices
  /// outweigh the rest.
  BlasProblem(BlasMachine& machine, blas::Call call, std::size_t n);
  const blas::Call& call() const { return call_; }
  const std::array<void*, blas::slot_count>& memory() const { return memory_; }
  /// Bytes of an argument.
  std::size_t bytes(blas::Slot slot) const { return bytes_[static_cast<std::size_t>(slot)]; }
  /// Bytes that a call of level 1 or 2 must read and write at least.
  double traffic() const;
  /// Floating-point operations of a call of level 3.
  double operations() const;
  /// Milliseconds of a call, from before it to after it has finished; the mean of several in a row.
  double run(int calls = 1);

 private:
  BlasMachine& machine_;
  blas::Call call_;
  std::vector<std::shared_ptr<void>> blocks_;
  std::vector<Buffer> buffers_;
  std::array<void*, blas::slot_count> memory_{};
  std::array<std::size_t, blas::slot_count> bytes_{};
};

}  // namespace kiln::bench
