#pragma once

#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// A bound for graphs with tasks that all others come before or after, as the steps of a simulation
/// have: between two of them nothing of other steps runs, so that the bounds of the parts add up.
/// Transfers are counted where they cannot be avoided. ns; 0 where there are no such tasks.
double cut_bound(const Problem& problem);

}  // namespace kiln::graph
