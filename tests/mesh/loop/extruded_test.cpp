// Loops over columns.
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class ExtrudedTest : public MeshTest {};

TEST_F(ExtrudedTest, a_line_of_cells_is_covered_from_below) {
  // 3 columns of 4 cells over 3 base cells; nodes in lines of 5 over 4 base nodes
  const Set base = mesh.set("base", 3), nodes = mesh.set("nodes", 20),
            cells = mesh.set("cells", 12);
  const Map to_nodes =
      mesh.map("to_nodes", base, nodes, 4, Indices{0, 1, 5, 6, 5, 6, 10, 11, 10, 11, 15, 16},
               Indices{1, 1, 1, 1});
  const Map to_cells = mesh.map("to_cells", base, cells, 1, Indices{0, 4, 8}, Indices{1});
  const Dat around = zeros<int>("around", nodes),
            number = dat<int>("number", cells, 1, counting<int>(12)),
            sum = zeros<int>("sum", nodes);
  const Kernel k(
      "void k(int **n, const int *c, int **s) { for (int i = 0; i < 4; ++i) { *n[i] += 1; *s[i] += "
      "*c; } }",
      "k");
  par_loop(k, base.extruded(5), arg(around, to_nodes, INC), arg(number, to_cells[0], READ),
           arg(sum, to_nodes, INC));
  EXPECT_EQ(read<int>(around), list({1, 2, 2, 2, 1, 2, 4, 4, 4, 2, 2, 4, 4, 4, 2, 1, 2, 2, 2, 1}));
  EXPECT_EQ(sum.read<int>()[6], 0 + 1 + 4 + 5);
}

TEST_F(ExtrudedTest, dats_of_the_base_are_one_value_for_a_column) {
  const Set base = mesh.set("base", 4);
  const Dat height = dat<int>("height", base, 1, {1, 2, 3, 4}), sum = zeros<int>("sum", base);
  const Kernel k("void k(const int *h, int *s) { *s += *h; }", "k");
  par_loop(k, base.extruded(11), arg(height, READ), arg(sum, INC));
  EXPECT_EQ(read<int>(sum), list({10, 20, 30, 40}));
}

TEST_F(ExtrudedTest, columns_of_other_heights_are_other_loops) {
  const Set base = mesh.set("base", 2);
  const Dat sum = zeros<int>("sum", base);
  const Kernel k("void k(int *s) { *s += 1; }", "k");
  par_loop(k, base.extruded(3), arg(sum, INC));
  par_loop(k, base.extruded(6), arg(sum, INC));
  EXPECT_EQ(read<int>(sum), list({7, 7}));
}

TEST_F(ExtrudedTest, a_reduction_covers_every_cell) {
  const Set base = mesh.set("base", 100);
  const Dat x = dat<double>("x", base, 1, counting<double>(100));
  const Global g = mesh.global("g", 0.0);
  par_loop(Kernel("void k(const double *x, double *g) { *g += *x; }", "k"), base.extruded(9),
           arg(x, READ), arg(g, INC));
  EXPECT_EQ(g.value<double>(), 8 * 4950.0);
}

TEST_F(ExtrudedTest, columns_that_only_meet_above_their_lowest_cells_are_kept_apart) {
  // Column e starts at target e and climbs by one: all columns cross, none share a lowest target.
  constexpr int count = 4000, layers = 30;
  const Set base = mesh.set("base", count), targets = mesh.set("targets", count + layers);
  const Map up = mesh.map("up", base, targets, 1, counting<std::int32_t>(count), Indices{1});
  for (const auto& form : {Parameters{{"FORM", 0}, {"BLOCK", 16}}, Parameters{{"FORM", 2}}}) {
    use_form(form);
    const Dat hits = zeros<int>("hits", targets);
    par_loop(Kernel("void k(int *h) { *h += 1; }", "k"), base.extruded(layers),
             arg(hits, up[0], INC));
    for (int t = 0; t < count + layers; ++t)
      ASSERT_EQ(hits.read<int>()[static_cast<std::size_t>(t)],
                std::max(0, std::min({t + 1, layers - 1, count + layers - 2 - t})));
    // one class, so no two elements or blocks at once
    const auto report = mesh.report();
    EXPECT_EQ(report.back().colours, form.get("FORM", 0) == 2 ? count : count / 16);
  }
}

TEST_F(ExtrudedTest, layered_meshes_need_no_more_colours_than_their_base) {
  // Lines of nodes over a row of base cells: neighbours share a line, so two colours do.
  constexpr int cells = 256, layers = 8;
  const Set base = mesh.set("base", cells), nodes = mesh.set("nodes", (cells + 1) * layers);
  Indices corners;
  for (int c = 0; c < cells; ++c)
    for (const int line : {c, c + 1})
      for (const int level : {0, 1}) corners.push_back(line * layers + level);
  const Map map = mesh.map("map", base, nodes, 4, corners, Indices{1, 1, 1, 1});
  use_form({{"FORM", 2}});
  const Dat hits = zeros<int>("hits", nodes);
  par_loop(Kernel("void k(int **h) { for (int i = 0; i < 4; ++i) *h[i] += 1; }", "k"),
           base.extruded(layers), arg(hits, map, INC));
  EXPECT_EQ(hits.read<int>()[layers + 1], 4);
  EXPECT_EQ(mesh.report().back().colours, 2u);
}

}  // namespace
}  // namespace kiln::mesh::testing
