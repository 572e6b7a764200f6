#include "schedule/graph/task_graph.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kiln::graph {
namespace {

TEST(TaskGraph, MergesEdgesOfTheSamePairAndKnowsBothEnds) {
  const auto graph = TaskGraph::make(4, {{2, 3, 5}, {0, 2, 1}, {0, 2, 2}, {0, 1, 0}});
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->edges(), 3u);
  ASSERT_EQ(graph->predecessors(2).size(), 1u);
  EXPECT_EQ(graph->predecessors(2)[0].task, 0u);
  EXPECT_EQ(graph->predecessors(2)[0].bytes, 3);
  ASSERT_EQ(graph->successors(0).size(), 2u);
  EXPECT_EQ(graph->levels(), (std::vector<std::uint32_t>{0, 1, 1, 2}));
  EXPECT_EQ(graph->components(), (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST(TaskGraph, NamesTheTasksOfACycle) {
  const auto cyclic = TaskGraph::make(6, {{0, 1, 0}, {1, 4, 0}, {4, 2, 0}, {2, 1, 0}, {2, 5, 0}});
  ASSERT_FALSE(cyclic);
  EXPECT_EQ(cyclic.error().code(), Errc::bad_input);
  EXPECT_EQ(cyclic.error().message(), "found a cycle 1 -> 4 -> 2 -> 1, expected none");
  EXPECT_EQ(TaskGraph::make(1, {{0, 0, 0}}).error().message(),
            "found a cycle 0 -> 0, expected none");
  EXPECT_EQ(TaskGraph::make(2, {{0, 2, 0}}).error().message(),
            "found an edge 0 -> 2, expected tasks from 0 to 1");
}

TEST(TaskGraph, PartsThatAreNotConnectedHaveNumbers) {
  const auto graph = TaskGraph::make(5, {{0, 3, 0}, {4, 2, 0}});
  EXPECT_EQ(graph->components(), (std::vector<std::uint32_t>{0, 1, 2, 0, 2}));
}

TEST(TaskGraph, OrdersRandomGraphs) {
  std::mt19937 random(5);
  std::vector<TaskGraph::Edge> edges;
  std::vector<Task> name(2000);  // so that numbers are no order
  for (Task i = 0; i < name.size(); ++i) name[i] = i;
  std::shuffle(name.begin(), name.end(), random);
  for (int i = 0; i < 6000; ++i) {
    const auto to = static_cast<Task>(1 + random() % 1999);
    edges.push_back({name[random() % to], name[to], 1});
  }
  const auto graph = TaskGraph::make(name.size(), edges);
  ASSERT_TRUE(graph);
  std::vector<std::size_t> place(name.size());
  for (std::size_t i = 0; i < name.size(); ++i) place[graph->topological_order()[i]] = i;
  for (const auto& edge : edges) EXPECT_LT(place[edge.from], place[edge.to]);
}

}  // namespace
}  // namespace kiln::graph
