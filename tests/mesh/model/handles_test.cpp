#include <gmock/gmock.h>

#include <functional>
#include <optional>

#include "forked_child.hpp"
#include "mesh/model/mesh_fixture.hpp"

// What was moved from, or is gone, is an Error and no crash.

namespace kiln::mesh::testing {
namespace {

using ::testing::HasSubstr;

class HandlesTest : public MeshTest {
 protected:
  Set cells = mesh.set("cells", 2), nodes = mesh.set("nodes", 3);
  Kernel add{"void add(double *y, double *x) { *y += *x; }", "add"};
};

TEST_F(HandlesTest, a_mesh_that_was_moved_from_says_so) {
  Mesh old(quiet_options());
  const Set set = old.set("set", 2);
  const Mesh now(std::move(old));
  const std::vector<std::function<void()>> calls{
      [&] { old.set("other", 2); },
      [&] {
        old.map("map", set, set, 1, Indices{0, 1});
      },
      [&] { old.dat<double>("dat", set, 1); },
      [&] { old.global("global", 1.0); },
      [&] { old.constant("scale", 1.0); },
      [&] { old.tune(0.1); },
      [&] { old.flush(); },
      [&] { old.finish(); },
      [&] { old.queued(); },
      [&] { old.report(); },
      [&] { old.timeline(); },
      [&] { old.clear_report(); },
      [&] { old.copy_bandwidth(); },
      [&] { old.device_name(); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i)
    EXPECT_THAT(refusal(calls[i]), HasSubstr("the Mesh was moved from")) << i;
}

TEST_F(HandlesTest, handles_that_were_moved_from_stand_for_the_same) {
  Set set = cells;
  const Set to = std::move(set);
  EXPECT_EQ(set, to);
  EXPECT_EQ(set.size(), 2u);  // NOLINT(bugprone-use-after-move): it is what is tested
  Subset subset = cells.subset(Indices{1});
  const Subset subset_to = std::move(subset);
  EXPECT_EQ(subset.size(), 1u);
  Iteration over = subset_to;
  const Iteration over_to = std::move(over);
  EXPECT_EQ(over.subset(), over_to.subset());
  DataSet data(cells, {2, 3});
  const DataSet data_to = std::move(data);
  EXPECT_EQ(data.dim(), 6u);
  Dat dat = zeros<double>("x", cells);
  const Dat dat_to = std::move(dat);
  EXPECT_EQ(dat.name(), "x");
  Global global = mesh.global("g", 2.0);
  const Global global_to = std::move(global);
  EXPECT_EQ(global.value<double>(), 2);
  Map map = mesh.map("m", cells, nodes, 1, Indices{0, 2});
  const Map map_to = std::move(map);
  EXPECT_EQ(map.arity(), 1u);
  Kernel kernel = add;
  const Kernel kernel_to = std::move(kernel);
  EXPECT_EQ(kernel.name(), "add");
  Sparsity sparsity = mesh.sparsity(map, map);
  const Sparsity sparsity_to = std::move(sparsity);
  EXPECT_EQ(sparsity.rows(), 3u);
  Mat mat = mesh.mat<double>("a", sparsity);
  const Mat mat_to = std::move(mat);
  EXPECT_EQ(mat.sparsity(), sparsity);
  MixedDat mixed({dat});
  const MixedDat mixed_to = std::move(mixed);
  EXPECT_EQ(mixed.size(), 1u);
}

TEST_F(HandlesTest, a_solver_that_was_moved_from_says_so) {
  const Map own = mesh.map("own", cells, cells, 1, Indices{0, 1});
  const Mat mat = mesh.mat<double>("a", mesh.sparsity(own, own));
  const Dat x = zeros<double>("x", cells), b = zeros<double>("b", cells);
  Solver old;
  Solver now(std::move(old));
  EXPECT_THAT(refusal([&] { old.solve(mat, x, b); }), HasSubstr("the Solver was moved from"));
}

TEST_F(HandlesTest, arguments_that_outlive_what_they_point_to_are_refused) {
  const Dat y = zeros<double>("y", cells), x = zeros<double>("x", nodes);
  std::optional<Map> map(mesh.map("m", cells, nodes, 1, Indices{0, 2}));
  const MapUse use = (*map)[0];
  const Arg through = arg(x, *map, READ);
  map.reset();
  EXPECT_THAT(refusal([&] { par_loop(add, cells, arg(y, INC), arg(x, use, READ)); }),
              HasSubstr("loop add, argument 1 (map): is gone"));
  EXPECT_THAT(refusal([&] { par_loop(add, cells, arg(y, INC), through); }),
              HasSubstr("loop add, argument 1 (map): is gone"));
  std::optional<Dat> gone(zeros<double>("gone", cells));
  const Arg direct = arg(*gone, READ);
  gone.reset();
  EXPECT_THAT(refusal([&] { par_loop(add, cells, arg(y, INC), direct); }),
              HasSubstr("loop add, argument 1 (data): is gone"));
  EXPECT_THAT(refusal([&] { par_loop(add, cells, MixedArg(arg(y, INC)), MixedArg(direct)); }),
              HasSubstr("loop add, argument 1 (data): is gone"));
  EXPECT_EQ(mesh.queued(), 0u);
  EXPECT_EQ(read<double>(y), list({0.0, 0.0}));
}

TEST_F(HandlesTest, a_loop_that_ran_before_does_not_run_with_a_map_that_is_gone) {
  const Dat y = zeros<double>("y", cells), x = zeros<double>("x", nodes);
  std::optional<Map> map(mesh.map("m", cells, nodes, 1, Indices{0, 2}));
  const MapUse use = (*map)[0];
  par_loop(add, cells, arg(y, INC), arg(x, use, READ));
  mesh.finish();
  map.reset();
  EXPECT_THAT(refusal([&] { par_loop(add, cells, arg(y, INC), arg(x, use, READ)); }),
              HasSubstr("argument 1 (map): is gone"));
}

// Sizes whose products wrap round, or do not fit what kernels count with.

TEST_F(HandlesTest, blocks_of_more_entries_than_kernels_count_are_refused) {
  const Map map = mesh.map("m", cells, nodes, 1, Indices{0, 2});
  using Dims = std::pair<std::size_t, std::size_t>;
  for (const auto& [rows, columns] :
       {Dims{std::size_t{1} << 30, std::size_t{1} << 29},
        Dims{std::size_t{1} << 40, std::size_t{1} << 40},
        Dims{std::size_t{1} << 32, std::size_t{1} << 32}, Dims{std::size_t{1} << 31, 1},
        Dims{1 << 16, 1 << 15}, Dims{~std::size_t{0}, ~std::size_t{0}}})
    EXPECT_THAT(refusal([&, r = rows, c = columns] { mesh.sparsity(map, map, r, c); }),
                HasSubstr("entries, expected at most 2147483647 of them"))
        << rows << " x " << columns;
  EXPECT_EQ(mesh.sparsity(map, map, 46340, 46340).row_dim(), 46340u);
}

TEST_F(HandlesTest, globals_and_constants_of_more_values_than_kernels_count_are_refused) {
  const double value = 1;
  for (const std::size_t count :
       {std::size_t{1} << 31, (std::size_t{1} << 32) + 1, ~std::size_t{0}}) {
    EXPECT_THAT(refusal([&] { mesh.global("g", ScalarType::f64, &value, count); }),
                HasSubstr("expected at most 2147483647"));
    EXPECT_THAT(refusal([&] { mesh.constant("c", ScalarType::f64, &value, count); }),
                HasSubstr("expected at most 2147483647"));
  }
}

TEST_F(HandlesTest, parts_of_a_mixed_matrix_are_counted_without_wrapping_round) {
  const Map map = mesh.map("m", cells, nodes, 1, Indices{0, 2});
  const Sparsity one = mesh.sparsity(map, map);
  // 2^63 + 1 times 2 is 2.
  EXPECT_THAT(refusal([&] {
                MixedSparsity((std::size_t{1} << 63) + 1, 2, {one, one});
              }),
              HasSubstr("2 blocks, expected one or more for each of"));
  EXPECT_EQ(MixedSparsity(2, 1, {one, one}).row_parts(), 2u);
}

}  // namespace
}  // namespace kiln::mesh::testing

// fork() during loops: the child is refused and does not wait for ever, the parent goes on.

namespace kiln::mesh::testing {
namespace {

TEST(ForkAndMesh, a_child_is_refused_and_the_parent_goes_on) {
  using kiln::testing::after_fork;
  using kiln::testing::refusal_in_child;
  auto mesh = std::make_unique<Mesh>();
  const Set cells = mesh->set("cells", 4);
  const Dat x = mesh->dat<double>("x", cells, 1, counting<double>(4));
  const Kernel twice("void twice(double *x) { *x *= 2; }", "twice");
  const auto run = [&] { par_loop(twice, cells, arg(x, RW)); };
  run();
  EXPECT_EQ(read<double>(x), list<double>({0, 2, 4, 6}));
  EXPECT_EQ(refusal_in_child([&] {
              run();
              (void)x.read<double>();
            }),
            after_fork);
  EXPECT_EQ(refusal_in_child([] { Mesh(); }), after_fork);
  run();  // waits in the queue, which a child ends with the Mesh
  EXPECT_EQ(refusal_in_child([&] { mesh.reset(); }), "it was not refused");
  EXPECT_EQ(read<double>(x), list<double>({0, 4, 8, 12}));
}

TEST(ForkAndMesh, a_child_is_refused_each_time_it_reads_what_a_loop_has_written) {
  using kiln::testing::after_fork;
  using kiln::testing::refusal_in_child;
  for (const auto layout : {DataLayout::aos, DataLayout::soa}) {
    Mesh mesh;
    const Set cells = mesh.set("cells", 4);
    const Dat x = mesh.dat<double>("x", DataSet(cells, {2}), counting<double>(8), layout);
    par_loop(Kernel("void twice(double *x) { x[0] *= 2; x[1] *= 2; }", "twice"), cells, arg(x, RW));
    mesh.flush();
    EXPECT_EQ(refusal_in_child([&] {
                try {
                  (void)x.read<double>();
                } catch (const Error&) {
                  (void)x.read<double>();
                }
              }),
              after_fork);
    EXPECT_EQ(read<double>(x), list<double>({0, 2, 4, 6, 8, 10, 12, 14}));
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
