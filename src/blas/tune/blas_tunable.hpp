#pragma once

#include <memory>

#include "blas/call/call.hpp"
#include "kernel/resolver/generator.hpp"
#include "tune/measure/tunable.hpp"

// Which Parameters of a routine can be tuned on a device, and the search for them.
namespace kiln::blas {

/// What of a device decides which Parameters its kernels may have: plain data, so that a process
/// that must not load a driver can have it.
struct TuningDevice {
  bool is_cpu = false;
  unsigned native_floats = 1;
  std::string gemm_form;            ///< of GemmGenerator: "cpu", "sm90"
  std::size_t local_memory = 0;     ///< bytes
  std::size_t work_group_size = 0;  ///< at most
  unsigned compute_units = 1;

  static TuningDevice of(const Device& device);
};

/// The search for the fastest Parameters of a routine, for calls of this class and about this size.
/// `call` has sizes and options, no memory. The space holds what the family's Generator accepts.
/// The reference is the same call with the Generator's defaults; results may differ by the rounding
/// of sums in another order. Errors: unsupported for a routine without Parameters.
Expected<std::unique_ptr<tune::Tunable>> make_blas_tunable(const Call& call,
                                                           const TuningDevice& device);

/// The family of the kernels whose Parameters decide how fast a routine is: "blas.gemm" for level
/// 3, which is built on products, "blas.mv_n" or "blas.mv_t" for gemv, "blas.solve" for trsv, tpsv
/// and tbsv. Empty for routines without.
std::string tuned_family(const Call& call);
std::int64_t family_version(const std::string& family);

/// The Request for such kernels, as a solution sequence makes it, for what a Generator says of
/// Parameters.
Request tuned_request(const Call& call, const TuningDevice& device);

}  // namespace kiln::blas
