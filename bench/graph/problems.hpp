#pragma once

#include <string>
#include <vector>

#include "graph/families.hpp"
#include "schedule/graph/problem.hpp"

// Graphs of the families with times of a GPU and a processor, for planners alone.
namespace kiln::bench {

struct NamedProblem {
  std::string name;
  graph::Problem problem;
};

/// A family's graph on a GPU and a processor. Times are by kind of kernel, as measured elsewhere
/// (products are worth a transfer, rows are not); a transformer's are those of its size. An edge's
/// cost is the transfer of what the reader needs.
graph::Problem problem_of(const graph_families::Graph& graph);

/// All families in several sizes: 2 to 6,000 tasks.
std::vector<NamedProblem> all_problems();

/// The least makespan of any order and assignment, by trying all: for few tasks.
double optimum_ns(const graph::Problem& problem);

}  // namespace kiln::bench
