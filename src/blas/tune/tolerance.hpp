#pragma once

#include "blas/call.hpp"

namespace kiln::blas {

/// What a number of two right results of a call may differ by, where all operands are numbers up to
/// 1 (random_operand.hpp): sums of products in any order, and what was there before. It grows with
/// the length of the sums, not with the size of the result, in which a wrong number would hide.
double tolerance_of(const Call& call);

}  // namespace kiln::blas
