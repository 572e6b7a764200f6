#pragma once

#include "blas/call.hpp"
#include "blas/shared_library.hpp"

namespace kiln::bench {

/// OpenBLAS by its C interface.
class Cblas {
 public:
  static const Cblas& get();
  bool present() const { return library_.present(); }
  /// Runs a call, of the routines that bars measure, whose operands are in the host's memory, an
  /// array for each slot.
  void run(const blas::Call& call, const std::array<void*, blas::slot_count>& memory) const;
  /// Its threads go on spinning for tens of milliseconds after their work, on the cores that the
  /// other side is measured on: waits until they sleep.
  static void let_threads_sleep();
  const SharedLibrary& library() const { return library_; }

 private:
  Cblas();
  SharedLibrary library_;
};

}  // namespace kiln::bench
