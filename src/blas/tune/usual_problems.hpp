#pragma once

#include <string>
#include <vector>

#include "blas/call.hpp"
#include "blas/tune/blas_tunable.hpp"

namespace kiln::blas {

/// A problem that most users of BLAS meet, and how much time it deserves beside the others.
struct UsualProblem {
  Call call;  ///< contiguous, by columns, no memory
  double weight = 1;
};

/// What "everything" is for a device: docs/tuning-campaigns.md has the list. What matters most
/// comes first: products of middle size, then the other sizes, then what is built on products, then
/// matrices by vectors. Complex precisions after the real ones. `doubles`: whether the device
/// computes in double precision.
std::vector<UsualProblem> usual_problems(const TuningDevice& device, bool doubles);

}  // namespace kiln::blas
