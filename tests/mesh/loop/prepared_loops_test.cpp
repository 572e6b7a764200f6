// How many loops are kept ready, and what is let go.
#include <algorithm>

#include "mesh/loop/prepared_loop.hpp"
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

Mesh::Options options_with(std::size_t prepared, std::size_t queued) {
  Mesh::Options options = quiet_options();
  options.prepared = prepared;
  options.queued = queued;
  return options;
}

std::vector<std::string> prepared(const Mesh& mesh) {
  std::vector<std::string> names;
  for (const auto& loop : LoopSession::of(*Handles::session(mesh)).loops.all())
    names.push_back(loop->name());
  std::sort(names.begin(), names.end());
  return names;
}

const Kernel add_one("void add_one(int *x) { *x += 1; }", "add_one");

TEST(PreparedLoops, are_bounded_and_all_of_them_run) {
  for (const std::size_t queued : {0u, 3u, 100u}) {
    Mesh mesh(options_with(4, queued));
    const Set set = mesh.set("set", 10);
    std::vector<Dat> dats;
    for (int i = 0; i < 20; ++i) {
      dats.push_back(mesh.dat<int>("x", set, 1, std::vector<int>(10, i)));
      par_loop(add_one, set, arg(dats.back(), RW));
      EXPECT_LE(prepared(mesh).size(), 4u);
    }
    // Once more: those that went are prepared again.
    for (const Dat& dat : dats) par_loop(add_one, set, arg(dat, RW));
    EXPECT_LE(prepared(mesh).size(), 4u);
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(read<int>(dats[static_cast<std::size_t>(i)]), std::vector<int>(10, i + 2));
    // What went is in the report.
    std::size_t count = 0;
    for (const auto& report : mesh.report()) count += report.count;
    EXPECT_EQ(count, 40u);
  }
}

TEST(PreparedLoops, those_called_longest_ago_go_first) {
  Mesh mesh(options_with(2, 0));
  const Set set = mesh.set("set", 10);
  const Dat x = mesh.dat<int>("x", set, 1);
  const auto call = [&](const std::string& name) {
    par_loop(Kernel("void " + name + "(int *x) { *x += 1; }", name), set, arg(x, RW));
  };
  using Names = std::vector<std::string>;
  call("a");
  call("b");
  call("a");
  call("c");
  EXPECT_EQ(prepared(mesh), (Names{"a", "c"}));
  call("a");
  call("b");
  EXPECT_EQ(prepared(mesh), (Names{"a", "b"}));
  EXPECT_EQ(read<int>(x), std::vector<int>(10, 6));
}

TEST(PreparedLoops, those_that_wait_stay_while_others_do_not) {
  Mesh mesh(options_with(2, 100));
  const Set set = mesh.set("set", 10);
  const Dat x = mesh.dat<int>("x", set, 1), y = mesh.dat<int>("y", set, 1);
  const Kernel twice("void twice(int *x) { *x *= 2; }", "twice");
  par_loop(twice, set, arg(y, RW));
  mesh.finish();
  par_loop(add_one, set, arg(x, RW));  // waits; what ran before may go
  par_loop(twice, set, arg(x, RW));
  EXPECT_EQ(mesh.queued(), 2u);
  EXPECT_EQ(prepared(mesh), (std::vector<std::string>{"add_one", "twice"}));
  par_loop(add_one, set, arg(y, RW));  // no place but by running those that wait
  EXPECT_EQ(mesh.queued(), 1u);
  EXPECT_EQ(read<int>(x), std::vector<int>(10, 2));
  EXPECT_EQ(read<int>(y), std::vector<int>(10, 1));
}

/// Whether what a handle stands for is still there once the handle is gone.
template <class Handle>
auto watch(const Handle& handle) {
  return std::weak_ptr(Handles::state(handle));
}

TEST(PreparedLoops, data_and_maps_of_each_time_step_are_let_go) {
  Mesh mesh(options_with(1024, 32));
  const Set cells = mesh.set("cells", 50), nodes = mesh.set("nodes", 51);
  const Dat total = mesh.dat<double>("total", nodes, 1);
  const Kernel spread("void spread(const double *w, double *t) { *t += *w; }", "spread");
  auto& session = LoopSession::of(*Handles::session(mesh));
  std::vector<std::weak_ptr<DatState>> dats;
  std::vector<std::weak_ptr<MapState>> maps;
  std::vector<std::weak_ptr<SubsetState>> subsets;
  std::size_t names = 0;
  for (int step = 0; step < 30; ++step) {
    Indices values;
    for (int c = 0; c < 50; ++c) values.push_back((c + step) % 51);
    const Map map = mesh.map("map", cells, nodes, 1, values);
    const Dat weight = mesh.dat<double>("weight", cells, 1, std::vector<double>(50, 1.0));
    const Subset some = cells.subset(Indices{1, 2, 3});
    par_loop(spread, cells, arg(weight, READ), arg(total, map[0], INC));
    par_loop(spread, some, arg(weight, READ), arg(total, map[0], INC));
    const Dat sum = weight + weight;  // loops over Dats of its own
    dats.push_back(watch(weight));
    dats.push_back(watch(sum));
    maps.push_back(watch(map));
    subsets.push_back(watch(some));
    if (step == 0) names = session.plans().names();
  }
  const auto is_gone = [](const auto& state) { return state.expired(); };
  EXPECT_TRUE(std::ranges::all_of(dats, is_gone));
  EXPECT_TRUE(std::ranges::all_of(maps, is_gone));
  EXPECT_TRUE(std::ranges::all_of(subsets, is_gone));
  EXPECT_EQ(prepared(mesh), std::vector<std::string>());
  EXPECT_LE(session.plans().names(), names);
  double all = 0;
  for (const double value : total.read<double>()) all += value;
  EXPECT_EQ(all, 30 * (50 + 3));
}

TEST(PreparedLoops, with_one_plan_share_its_arrays_on_the_device) {
  Mesh mesh(options_with(3, 0));
  auto& session = LoopSession::of(*Handles::session(mesh));
  use_form(mesh, Parameters{{"FORM", 2}, {"GROUP", 16}});
  const Set cells = mesh.set("cells", 50), nodes = mesh.set("nodes", 51);
  const Map map = mesh.map("map", cells, nodes, 1, counting<int>(50));
  const Kernel add("void add(int *x) { *x += 1; }", "add");
  const auto plan_of = [&](const Dat& dat) {
    par_loop(add, cells, arg(dat, map[0], INC));
    return session.loops.all().back()->plans().front();
  };
  std::vector<Dat> dats;
  for (int i = 0; i < 5; ++i) dats.push_back(mesh.dat<int>("x", nodes, 1));
  std::weak_ptr<const DevicePlan> first = plan_of(dats[0]);
  for (const Dat& dat : dats) EXPECT_EQ(plan_of(dat), first.lock());
  const Map other = mesh.map("other", cells, nodes, 1, std::vector<int>(50, 7));
  par_loop(add, cells, arg(dats[0], other[0], INC));
  EXPECT_NE(session.loops.all().back()->plans().front(), first.lock());
  // They go with the last loop that has the plan.
  for (const Dat& dat : dats) par_loop(add, cells, arg(dat, other[0], INC));
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(read<int>(dats[0])[0], 2);
  EXPECT_EQ(read<int>(dats[0])[7], 2 + 2 * 50);
}

TEST(PreparedLoops, kernels_that_nobody_holds_go_with_their_loops) {
  Mesh mesh(options_with(2, 0));
  const Set set = mesh.set("set", 10);
  const Dat x = mesh.dat<int>("x", set, 1);
  std::vector<std::weak_ptr<const KernelState>> states;
  for (int step = 0; step < 5; ++step) {
    const Kernel kernel("void add(int *x) { *x += " + std::to_string(step) + "; }", "add");
    EXPECT_EQ(kernel, Kernel(kernel.code(), kernel.name()));
    states.push_back(watch(kernel));
    par_loop(kernel, set, arg(x, RW));
  }
  for (std::size_t step = 0; step < 5; ++step) EXPECT_EQ(states[step].expired(), step < 3) << step;
  EXPECT_EQ(read<int>(x), std::vector<int>(10, 10));
}

}  // namespace
}  // namespace kiln::mesh::testing
