#pragma once

#include <vector>

#include "schedule/graph/problem.hpp"

/// How urgent tasks are: the numbers by which policies order them.
namespace kiln::graph {

/// The mean, or the least, of what a task takes on the devices that can run it.
enum class RankBy { mean, least };
/// By task, the time from its start to the end of the graph on the longest way, transfers by their
/// mean: rank_u of Topcuoglu, Hariri and Wu, "Performance-effective and low-complexity task
/// scheduling for heterogeneous computing" (2002).
std::vector<double> upward_ranks(const Problem& problem, RankBy by = RankBy::mean);

/// The same where each task's device is known.
std::vector<double> upward_ranks(const Problem& problem,
                                 const std::vector<std::uint32_t>& device_of);

/// Tasks so that each comes after all that it waits for and, as far as that allows, in falling
/// order of rank; of equal ones the smaller first.
std::vector<Task> by_falling_rank(const TaskGraph& graph, const std::vector<double>& ranks);

/// Optimistic cost table of Arabnejad and Barbosa, "List scheduling algorithm for heterogeneous
/// systems by an optimistic cost table" (2014): [task * devices + device], the least time from the
/// end of the task, if it runs on that device, to the end of the graph.
std::vector<double> optimistic_costs(const Problem& problem);

}  // namespace kiln::graph
