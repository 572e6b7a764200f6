#pragma once

#include <filesystem>
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

/// A graph of the Standard Task Graph Set, as its files are: the number of tasks without the two
/// dummies, then for each its number, time, count of predecessors and these. The time on a second
/// device is that one times a factor of 0.5 to 1.5. Errors: bad_input, with the task.
Expected<graph::Problem> standard_graph(const std::filesystem::path& file);

/// All families in several sizes: 2 to 6,000 tasks; and the .stg files of the folder KILN_STG.
std::vector<NamedProblem> all_problems();

/// The least makespan of any order and assignment, by trying all: for few tasks.
double optimum_ns(const graph::Problem& problem);

}  // namespace kiln::bench
