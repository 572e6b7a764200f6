#pragma once

#include "blas/call.hpp"
#include "rival/shared_library.hpp"

namespace kiln::rival {

/// oneDNN, for its one function of BLAS: the product of matrices of floats.
class Onednn {
 public:
  /// Loaded at the first call.
  static const Onednn& get();
  bool present() const { return library_.present(); }
  /// Runs sgemm on the host's memory. Throws Error: unsupported for anything else, internal where
  /// it fails.
  void run(const blas::Call& call, const std::array<void*, blas::slot_count>& memory) const;

 private:
  Onednn() : library_({"libdnnl.so.2", "libdnnl.so.3", "libdnnl.so"}) {}
  SharedLibrary library_;
};

}  // namespace kiln::rival
