#pragma once

#include <cstddef>

#include "blas/call/call.hpp"
#include "frame/bar.hpp"
#include "rival/libraries.hpp"
#include "rival/problem.hpp"

namespace kiln::bench {

/// The vendor's library on an NVIDIA device, by way of its C interface.
class Cublas {
 public:
  static Cublas& get();
  bool present() const { return blas_.present() && runtime_.present(); }
  /// Device memory with a copy of the host's; never freed but by free().
  void* upload(const void* from, std::size_t bytes);
  void free(void* memory);
  /// Enqueues a call, of the routines that bars measure, in column-major order.
  void run(const blas::Call& call, const std::array<void*, blas::slot_count>& memory);
  void finish();

 private:
  Cublas();
  rival::SharedLibrary runtime_, blas_;
  void* handle_ = nullptr;
};

/// The operands of a problem once more, in the rival's memory.
class CublasCopies {
 public:
  explicit CublasCopies(const rival::Problem& problem) {
    for (std::size_t slot = 0; slot < blas::slot_count; ++slot)
      if (problem.memory()[slot] != nullptr)
        memory_[slot] = Cublas::get().upload(problem.memory()[slot],
                                             problem.bytes(static_cast<blas::Slot>(slot)));
  }
  ~CublasCopies() {
    for (void* memory : memory_)
      if (memory != nullptr) Cublas::get().free(memory);
  }
  CublasCopies(const CublasCopies&) = delete;
  CublasCopies& operator=(const CublasCopies&) = delete;
  const std::array<void*, blas::slot_count>& memory() const { return memory_; }

 private:
  std::array<void*, blas::slot_count> memory_{};
};

/// A call on the GPU against cuBLAS's, so many in a row on either side. Not measured where there is
/// no GPU, or no cuBLAS.
Outcome against_cublas(const blas::Call& call, int calls);

}  // namespace kiln::bench
