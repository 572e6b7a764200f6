#pragma once

#include "blas/call.hpp"

namespace kiln::blas {

/// Whether a routine is bound by computing (level 3) or by the bandwidth of memory.
bool is_compute_bound(Routine routine);
/// Floating-point operations of a call of level 3, those of real numbers.
double operations_of(const Call& call);
/// Bytes that a call must read and write at least.
double traffic_of(const Call& call);
/// The strides that contiguous operands have.
Call contiguous(Call call);

}  // namespace kiln::blas
