#pragma once

#include <cstddef>

#include "blas/call/call.hpp"
#include "rival/libraries.hpp"

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

}  // namespace kiln::bench
