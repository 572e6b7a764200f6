// The bound for graphs whose parts follow one another in time. That no timetable is below it, the
// properties of the policies say.
#include <gtest/gtest.h>

#include "schedule/graph/bounds.hpp"
#include "schedule/graph/cut_bound.hpp"
#include "schedule/graph/improve.hpp"

namespace kiln::graph {
namespace {

/// Steps of three tasks, of which the third waits for the two others, and these for the third of
/// the step before; a GPU, and a processor that takes `processor` times as long.
Problem steps_of_three(std::size_t steps, double processor, double transfer) {
  std::vector<TaskGraph::Edge> edges;
  for (Task step = 0; step < steps; ++step) {
    const Task first = 3 * step;
    for (const Task task : {first, first + 1}) {
      edges.push_back({task, first + 2, transfer});
      if (step > 0) edges.push_back({first - 1, task, transfer});
    }
  }
  Problem problem;
  problem.graph = *TaskGraph::make(3 * steps, edges);
  problem.devices = {{"gpu", 1, 1, {}}, {"processor", 0, 1, {}}};
  problem.links = {{}, {0, 1}, {0, 1}, {}};
  for (std::size_t task = 0; task < 3 * steps; ++task)
    problem.run_ns.insert(problem.run_ns.end(), {100, 100 * processor});
  EXPECT_TRUE(problem.complete());
  return problem;
}

TEST(GraphCutBound, is_that_of_one_device_where_a_second_one_cannot_help) {
  const Problem problem = steps_of_three(20, 3, 50);
  // The first two tasks have no cut before them, and may be shared: 100 of them.
  EXPECT_DOUBLE_EQ(cut_bound(problem), 100 + 100 + 19 * 300);
  EXPECT_LE(cut_bound(problem), best_timetable(problem, {.evaluations = 200}).makespan_ns);
  EXPECT_GE(bounds(problem).mixed_ns, cut_bound(problem));
}

TEST(GraphCutBound, shares_a_step_where_that_pays) {
  // The third task changes the device in each step, so that only one of the two others, and the
  // way from the other one, takes a transfer: 120 for both at once against 200.
  EXPECT_DOUBLE_EQ(cut_bound(steps_of_three(11, 1, 20)), 100 + 100 + 10 * (120 + 100));
}

TEST(GraphCutBound, is_nothing_where_tasks_are_independent) {
  Problem problem = steps_of_three(1, 1, 0);
  problem.graph = *TaskGraph::make(3, {});
  EXPECT_EQ(cut_bound(problem), 0);
}

}  // namespace
}  // namespace kiln::graph
