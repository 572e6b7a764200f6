// Mesh::timeline(): what ran when.
#include <algorithm>

#include "base/clock.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

std::size_t count_of(const std::vector<TimelineSpan>& spans, std::string_view category) {
  return static_cast<std::size_t>(std::count_if(
      spans.begin(), spans.end(), [&](const auto& span) { return span.category == category; }));
}

TEST(MeshTimeline, has_each_run_and_each_look_up_on_the_hosts_clock) {
  Mesh::Options options = quiet_options();
  options.timeline = true;
  const std::int64_t begin = now_ns();
  Mesh mesh(options);
  const Set edges = mesh.set("edges", 300), nodes = mesh.set("nodes", 300);
  Indices ends;
  for (int e = 0; e < 300; ++e) ends.insert(ends.end(), {e, (e + 1) % 300});
  const Map map = mesh.map("ends", edges, nodes, 2, ends);
  const Dat x = mesh.dat<double>("x", nodes, 1);
  const Kernel add("void add(double *a) { *a += 1.0; }", "add");
  for (int i = 0; i < 3; ++i) par_loop(add, edges, arg(x, map[0], INC));
  mesh.clear_report();  // forgets sums, not what happened
  par_loop(add, edges, arg(x, map[0], INC));
  const auto spans = mesh.timeline();
  const std::int64_t end = now_ns();
  EXPECT_EQ(count_of(spans, "kernel"), 4u);
  EXPECT_GE(count_of(spans, "compile"), 1u);
  EXPECT_EQ(count_of(spans, "plan"), 1u);
  std::int64_t last = begin;
  for (const auto& span : spans) {
    EXPECT_LE(last, span.start_ns) << span.name;
    EXPECT_LE(span.start_ns, span.end_ns) << span.name;
    EXPECT_LE(span.end_ns, end) << span.name;
    last = span.start_ns;
    if (span.category != "kernel") continue;
    EXPECT_EQ(span.name, "add");
    EXPECT_EQ(span.lane, mesh.device_name());
  }
  EXPECT_EQ(mesh.timeline().size(), spans.size());
}

TEST(MeshTimeline, has_products_by_name) {
  Mesh::Options options = quiet_options();
  options.timeline = true;
  Mesh mesh(options);
  const Set nodes = mesh.set("nodes", 10);
  Indices same(10);
  for (int i = 0; i < 10; ++i) same[static_cast<std::size_t>(i)] = i;
  const Map map = mesh.map("same", nodes, nodes, 1, same);
  const Mat mat = mesh.mat<double>("K", mesh.sparsity(map, map));
  const Dat x = mesh.dat<double>("x", nodes, 1), y = mesh.dat<double>("y", nodes, 1);
  multiply(mat, x, y);
  const auto spans = mesh.timeline();
  EXPECT_TRUE(std::any_of(spans.begin(), spans.end(), [](const auto& span) {
    return span.category == "kernel" && span.name == "multiply K";
  }));
}

TEST(MeshTimeline, names_whose_plan_was_looked_up) {
  Mesh::Options options = quiet_options();
  options.timeline = true;
  Mesh mesh(options);
  const Set edges = mesh.set("edges", 300), nodes = mesh.set("nodes", 300);
  const Map map = mesh.map("ends", edges, nodes, 1, counting<std::int32_t>(300));
  const Dat x = mesh.dat<double>("x", nodes, 1), y = mesh.dat<double>("y", nodes, 1);
  use_form(mesh, Parameters{{"FORM", 0}, {"BLOCK", 64}});
  // Two loops that share a plan.
  par_loop(Kernel("void one(double *a) { *a += 1.0; }", "one"), edges, arg(x, map[0], INC));
  par_loop(Kernel("void two(double *a) { *a += 2.0; }", "two"), edges, arg(y, map[0], INC));
  const auto spans = mesh.timeline();
  const auto has = [&](const std::string& name) {
    return std::any_of(spans.begin(), spans.end(),
                       [&](const auto& span) { return span.name == name; });
  };
  EXPECT_TRUE(has("make: plan of one: 300 elements in blocks of 64"));
  EXPECT_TRUE(has("memory: plan of two: 300 elements in blocks of 64"));
  for (const auto& span : spans) EXPECT_FALSE(span.name.ends_with(": ")) << span.name;
  EXPECT_EQ(mesh.report().at(0).form, "blocks of 64 in 1 colour");
}

TEST(MeshTimeline, is_empty_where_nobody_asked) {
  Mesh mesh(quiet_options());
  const Set nodes = mesh.set("nodes", 10);
  const Dat x = mesh.dat<double>("x", nodes, 1);
  par_loop(Kernel("void one(double *x) { *x = 1.0; }", "one"), nodes, arg(x, WRITE));
  EXPECT_TRUE(mesh.timeline().empty());
}

}  // namespace
}  // namespace kiln::mesh::testing
