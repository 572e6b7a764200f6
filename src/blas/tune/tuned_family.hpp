#pragma once

#include "blas/call.hpp"
#include "blas/tune/blas_tunable.hpp"
#include "kernel/generator.hpp"

namespace kiln::blas {

/// The family of the kernels whose Parameters decide how fast a routine is: "blas.gemm" for level
/// 3, which is built on products, "blas.mv_n" or "blas.mv_t" for gemv, "blas.solve" for trsv, tpsv
/// and tbsv. Empty for routines without.
std::string tuned_family(const Call& call);
std::int64_t family_version(const std::string& family);

/// The Request for such kernels, as a solution sequence makes it, for what a Generator says of
/// Parameters.
Request tuned_request(const Call& call, const TuningDevice& device);
/// The generator of one of these families.
std::unique_ptr<Generator> generator_of(const std::string& family);

/// The values that are worth trying: those that the generator takes, of which the kernel's
/// registers can hold a tile. The defaults are among them. Errors: unsupported, without a family.
Expected<tune::SearchSpace> tuning_space(const Call& call, const TuningDevice& device);

}  // namespace kiln::blas
