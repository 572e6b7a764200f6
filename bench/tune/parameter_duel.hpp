#pragma once

#include "blas/api/library.hpp"
#include "rival/problem.hpp"

namespace kiln::bench {

/// How many times as fast the first library is at a call, which both make by turns in the same
/// memory: buffers of their own differ in speed by more than Parameters do.
double ratio_of(blas::Library& one, blas::Library& other, rival::Machine& machine,
                const blas::Call& call);

}  // namespace kiln::bench
