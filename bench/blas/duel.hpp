#pragma once

#include "frame/statistics.hpp"
#include "rival/contest.hpp"

namespace kiln::bench {

/// A call with the options that all bars measure: column-major, nothing transposed, the lower
/// triangle, and scalars with which results neither grow nor vanish over many runs.
blas::Call measured_call(blas::Routine routine, blas::Precision precision, std::size_t n);
/// "sgemm"
std::string name_of(const blas::Call& call);

/// Either side on a GPU: so many calls in a row, the end of which `finish` waits for.
rival::Contender in_a_row(std::string name, std::function<void()> call,
                          std::function<void()> finish, int calls);
/// Kiln's.
rival::Contender kiln_in_a_row(rival::Problem& problem, int calls);

/// How many pairs a problem is worth on a CPU.
int pairs_for(const blas::Call& call);
/// How many calls in a row are measured on a GPU.
int calls_for(const blas::Call& call);

/// Both sides' medians, their ratio, and the work of each in GFLOP/s or GB/s. They take turns as in
/// `kiln blas bench`. Why a side is absent is why it was not measured.
Outcome duel(const rival::Problem& problem, rival::Contender theirs, rival::Contender ours,
             int pairs);

}  // namespace kiln::bench
