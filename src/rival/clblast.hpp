#pragma once

#include "blas/call.hpp"
#include "rival/shared_library.hpp"

namespace kiln::rival {

/// CLBlast by its C interface (clblast_c.h of 1.5), on the memory and the queues that Kiln uses.
class Clblast {
 public:
  /// Loaded at the first call.
  static const Clblast& get();
  bool present() const { return library_.present(); }
  /// Enqueues a call. Throws Error: unsupported where it has no such routine, device with its
  /// status where it fails.
  void run(const blas::Call& call, cl_command_queue queue) const;

 private:
  Clblast() : library_({"libclblast.so.1", "libclblast.so"}) {}
  SharedLibrary library_;
};

}  // namespace kiln::rival
