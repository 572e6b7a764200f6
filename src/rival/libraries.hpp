#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "blas/call/call.hpp"

// Other libraries that have BLAS, by their C interfaces: loaded while they are measured, never
// linked.
namespace kiln::rival {

/// A library that is loaded while it is measured: nothing of Kiln links it, and where it is
/// absent the comparison says so.
class SharedLibrary {
 public:
  /// The first of the names that can be loaded.
  explicit SharedLibrary(std::initializer_list<const char*> names);
  bool present() const { return handle_ != nullptr; }
  bool has(const std::string& name) const;
  /// The address of a function; throws Error (unsupported) where there is none.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 protected:
  /// As if it were absent.
  void forget() { handle_.reset(); }

 private:
  void* address(const std::string& name) const;
  std::shared_ptr<void> handle_;
};

/// Whether this process is to have no AVX-512, on either side: `kiln-bench --avx2` sees to it, and
/// to the environment's variable that says so.
bool is_held_to_avx2();
inline constexpr const char* avx2_variable = "KILN_BENCH_AVX2";

/// oneDNN, for its one function of BLAS: the product of matrices of floats.
class Onednn : public SharedLibrary {
 public:
  /// Loaded at the first call.
  static const Onednn& get();
  /// Runs sgemm on the host's memory. Throws Error: unsupported for anything else, internal where
  /// it fails.
  void run(const blas::Call& call, const std::array<void*, blas::slot_count>& memory) const;

 private:
  Onednn();
};

/// OpenBLAS by CBLAS, its C interface (Blackford 2002, appendix).
class Cblas : public SharedLibrary {
 public:
  /// Loaded at the first call, with the kernels and threads that it chooses itself: what the
  /// environment says about them (OPENBLAS_CORETYPE and such) is taken out of it. Those of AVX2
  /// where is_held_to_avx2().
  static const Cblas& get();
  /// Runs a call whose operands are in the host's memory, an array for each slot. Throws Error
  /// (unsupported) where it has no such routine.
  void run(const blas::Call& call, const std::array<void*, blas::slot_count>& memory) const;

 private:
  Cblas();
};

/// CLBlast by its C interface (clblast_c.h of 1.5), on the memory and the queues that Kiln uses.
class Clblast : public SharedLibrary {
 public:
  /// Loaded at the first call.
  static const Clblast& get();
  /// A library with that interface: Kiln's, which is not the rival, but measured as programs have
  /// it.
  explicit Clblast(const std::filesystem::path& library);

  /// How the items of a batch are given: a stride apart with the same scalars, or at places in
  /// arrays with scalars of their own (axpy has only this).
  enum class Items { a_stride_apart, at_places };
  /// Enqueues a call. Throws Error: unsupported where it has no such routine, device with its
  /// status where it fails.
  void run(const blas::Call& call, cl_command_queue queue,
           Items items = Items::a_stride_apart) const;

 private:
  Clblast();
};

}  // namespace kiln::rival
