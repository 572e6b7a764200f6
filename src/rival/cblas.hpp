#pragma once

#include "blas/call.hpp"
#include "rival/shared_library.hpp"

namespace kiln::rival {

/// OpenBLAS by CBLAS, its C interface (Blackford 2002, appendix).
class Cblas {
 public:
  /// Loaded at the first call, with the kernels and threads that it chooses itself: what the
  /// environment says about them (OPENBLAS_CORETYPE and such) is taken out of it.
  static const Cblas& get();
  bool present() const { return library_.present(); }
  /// Runs a call whose operands are in the host's memory, an array for each slot. Throws Error
  /// (unsupported) where it has no such routine.
  void run(const blas::Call& call, const std::array<void*, blas::slot_count>& memory) const;
  /// Its threads go on spinning for tens of milliseconds after their work, on the cores that the
  /// other side is measured on: waits until they sleep.
  static void let_threads_sleep();

 private:
  Cblas();
  SharedLibrary library_;
};

}  // namespace kiln::rival
