// Loops over meshes as tasks of graphs: what a plan gives is what the loops give one by one.
#include <gmock/gmock.h>

#include "kernel/runtime.hpp"
#include "kiln/mesh/graph.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t heat_nodes = 500;

std::vector<double> start_heat() {
  std::vector<double> start(heat_nodes);
  for (std::size_t i = 0; i < heat_nodes; ++i) start[i] = static_cast<double>(i % 7);
  return start;
}
Indices ring_ends() {
  Indices values;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(heat_nodes); ++i)
    values.insert(values.end(), {i, (i + 1) % static_cast<std::int32_t>(heat_nodes)});
  return values;
}

/// Heat on a ring of nodes.
struct Ring {
  explicit Ring(const kiln::Runtime& runtime) : mesh(runtime) {}

  Mesh mesh;
  Set nodes = mesh.set("nodes", heat_nodes), edges = mesh.set("edges", heat_nodes);
  Map ends = mesh.map("ends", edges, nodes, 2, ring_ends());
  Dat heat = mesh.dat<double>("heat", nodes, 1, std::span<const double>(start_heat()));
  Dat flow = mesh.dat<double>("flow", nodes, 1);
  Global change = mesh.global("change", 0.0);
  Kernel clear{"void clear(double* x) { *x = 0; }", "clear"};
  Kernel exchange{
      "void exchange(double* a, double* b, double* x, double* y) {"
      " const double d = 0.25 * (*y - *x); *a += d; *b -= d; }",
      "exchange"};
  Kernel update{
      "void update(double* x, double* flow, double* sum) { *x += *flow; *sum += *flow * *flow; }",
      "update"};

  /// One step; `loop` is given each of its loops.
  template <class Loop>
  void step(const Loop& loop) {
    loop(clear, nodes, arg(flow, WRITE));
    loop(exchange, edges, arg(flow, ends[0], INC), arg(flow, ends[1], INC),
         arg(heat, ends[0], READ), arg(heat, ends[1], READ));
    loop(update, nodes, arg(heat, RW), arg(flow, READ), arg(change, INC));
  }
  std::vector<double> values() const {
    const auto read = heat.read<double>();
    return {read.begin(), read.end()};
  }
};

class GraphLoopTest : public ::testing::Test {
 protected:
  kiln::Runtime runtime_{
      std::make_shared<kiln::Runtime::State>(nullptr, "cpu", kiln::Runtime::State::Single::halved)};
  kiln::Graph graph_{runtime_};

  auto into_graph() {
    return [this](const auto&... call) { par_loop(graph_, call...); };
  }
};

TEST_F(GraphLoopTest, steps_are_those_of_loops_one_by_one) {
  Ring planned(runtime_), plain(runtime_);
  planned.step(into_graph());
  std::vector<double> changes;
  const Arg change[] = {arg(planned.change, RW)};
  add_host(
      graph_,
      [&] {
        changes.push_back(planned.change.value<double>());
        planned.change.set(0.0);
      },
      change);
  kiln::GraphPlan plan = graph_.plan();
  for (int step = 0; step < 5; ++step) {
    plan.run();
    plain.step([](const auto&... call) { par_loop(call...); });
    ASSERT_EQ(changes.size(), static_cast<std::size_t>(step + 1));
    EXPECT_EQ(changes.back(), plain.change.value<double>());
    plain.change.set(0.0);
  }
  EXPECT_EQ(planned.values(), plain.values());
}

TEST_F(GraphLoopTest, planning_runs_no_loop) {
  Ring ring(runtime_);
  const auto before = ring.values();
  ring.step(into_graph());
  kiln::GraphPlan plan = graph_.plan();
  EXPECT_EQ(ring.values(), before);
  plan.run();
  EXPECT_NE(ring.values(), before);
}

TEST_F(GraphLoopTest, loops_that_wait_in_the_mesh_come_first) {
  Ring ring(runtime_), plain(runtime_);
  const Kernel twice("void twice(double* x) { *x *= 2; }", "twice");
  ring.step(into_graph());
  kiln::GraphPlan plan = graph_.plan();
  for (Ring* each : {&ring, &plain}) par_loop(twice, each->nodes, arg(each->heat, RW));
  plan.run();
  plain.step([](const auto&... call) { par_loop(call...); });
  EXPECT_EQ(ring.values(), plain.values());
}

TEST_F(GraphLoopTest, what_the_host_changes_between_loops_is_what_the_next_one_finds) {
  Ring ring(runtime_);
  const Kernel twice("void twice(double* x) { *x *= 2; }", "twice");
  const Arg heat[] = {arg(ring.heat, RW)};
  par_loop(graph_, twice, ring.nodes, arg(ring.heat, RW));
  add_host(
      graph_, [&] { ring.heat.write<double>()[3] += 100; }, heat);
  par_loop(graph_, twice, ring.nodes, arg(ring.heat, RW));
  kiln::GraphPlan plan = graph_.plan();
  plan.run();
  EXPECT_EQ(ring.values()[3], (3 * 2 + 100) * 2);
  plan.run();
  EXPECT_EQ(ring.values()[3], (212 * 2 + 100) * 2);
}

TEST_F(GraphLoopTest, kernels_and_loops_share_a_graph) {
  Ring ring(runtime_);
  ring.step(into_graph());
  const auto kernel = runtime_.kernel(
      Source::text("kernel void square(global float* x) { x[get_global_id(0)] *= 3; }"), "square");
  auto x = runtime_.array<float>(64);
  std::ranges::fill(x.overwrite(), 2.0f);
  graph_.add(kernel(x), {{64}});
  kiln::GraphPlan plan = graph_.plan();
  plan.run();
  EXPECT_EQ(x.read()[5], 6);
  EXPECT_EQ(plan.report().tasks.size(), 4u);
  EXPECT_THAT(plan.report().tasks[3].after, ::testing::IsEmpty());
}

TEST_F(GraphLoopTest, data_that_are_gone_are_told) {
  auto ring = std::make_unique<Ring>(runtime_);
  ring->step(into_graph());
  kiln::GraphPlan plan = graph_.plan();
  plan.run();
  ring.reset();
  try {
    plan.run();
    FAIL() << "a plan ran over data that are gone";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("loop clear of a graph: found data that are gone"));
  }
}

TEST_F(GraphLoopTest, a_mesh_of_another_runtime_is_refused) {
  Ring ring(kiln::Runtime{});
  try {
    par_loop(graph_, ring.clear, ring.nodes, arg(ring.flow, WRITE));
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("found a Mesh of another Runtime"));
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
