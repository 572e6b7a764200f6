// What par_loop refuses: before anything is queued, naming the loop and the argument.
#include <cmath>
#include <limits>

#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class LoopCheckTest : public MeshTest {
 protected:
  Set edges = mesh.set("edges", 3), nodes = mesh.set("nodes", 4), cells = mesh.set("cells", 2);
  Map links = mesh.map("links", edges, nodes, 2, Indices{0, 1, 1, 2, 2, 3});
  Map sides = mesh.map("sides", edges, cells, 3, Indices{0, 1, 1, 0, 0, 0, 1, 1, 1});
  Dat x = dat<int>("x", nodes, 1, {1, 2, 3, 4});
  Dat y = zeros<int>("y", edges), z = zeros<int>("z", cells);
  Kernel copy{"void copy(const int *from, int *to) { *to = *from; }", "copy"};

  /// Refused with this message; nothing was queued, nothing run.
  template <class... Args>
  void expect_refused(const std::string& text, const Kernel& kernel, const Iteration& over,
                      const Args&... arguments) {
    EXPECT_EQ(refusal([&] { par_loop(kernel, over, arguments...); }), text);
    EXPECT_EQ(mesh.queued(), 0u);
    EXPECT_EQ(read<int>(x), list({1, 2, 3, 4}));
    EXPECT_EQ(read<int>(y), list({0, 0, 0}));
    EXPECT_TRUE(mesh.report().empty());
  }
  /// A kernel that is refused with a message that holds this.
  template <class... Args>
  void expect_text(const std::string& part, const std::string& code, const Args&... arguments) {
    const auto text =
        refusal([&] { par_loop(Kernel(code, "k"), edges, arguments...); }, expected_code);
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(mesh.queued(), 0u);
  }
  Errc expected_code = Errc::bad_input;
};

TEST_F(LoopCheckTest, a_map_from_another_set) {
  expect_refused(
      "loop copy, argument 0 (dat x): map links leads from set edges, expected cells, which the "
      "loop is over",
      copy, cells, arg(x, links[0], READ), arg(z, WRITE));
}

TEST_F(LoopCheckTest, a_map_to_another_set) {
  expect_refused("loop copy, argument 0 (dat z): map links leads to set nodes, expected cells",
                 copy, edges, arg(z, links[0], READ), arg(y, WRITE));
}

TEST_F(LoopCheckTest, a_direct_dat_on_another_set) {
  expect_refused(
      "loop copy, argument 1 (dat z): is on set cells and used without a map, expected set edges, "
      "which the loop is over",
      copy, edges, arg(x, links[0], READ), arg(z, WRITE));
}

TEST_F(LoopCheckTest, components_that_the_map_has_not) {
  for (const int component : {2, -1, -2, 65536, 65537, std::numeric_limits<int>::max()})
    expect_refused("loop copy, argument 0 (dat x): component " + std::to_string(component) +
                       " of map links, expected 0 to 1",
                   copy, edges, arg(x, links[component], READ), arg(y, WRITE));
}

TEST_F(LoopCheckTest, iteration_indices_other_than_the_two) {
  for (const int number : {2, -1, 65536})
    expect_refused("loop copy, argument 0 (dat x): iteration index " + std::to_string(number) +
                       ", expected 0 or 1",
                   copy, edges, arg(x, links[index(number)], READ), arg(y, WRITE));
}

TEST_F(LoopCheckTest, iteration_indices_of_two_extents) {
  expect_refused(
      "loop copy, argument 1 (dat z): iteration index 0 has 3 values here (map sides) and 2 before",
      copy, edges, arg(x, links[index(0)], READ), arg(z, sides[index(0)], INC));
}

TEST_F(LoopCheckTest, the_second_iteration_index_alone) {
  expect_refused("loop copy: iteration index 1 without 0, expected index(0) to be the first", copy,
                 edges, arg(x, links[index(1)], READ), arg(y, WRITE));
}

TEST_F(LoopCheckTest, accesses_that_do_not_fit) {
  const Global g = mesh.global("g", 1);
  for (const Access access : {WRITE, RW})
    expect_refused("loop copy, argument 1 (global g): access " + std::string(name_of(access)) +
                       ", expected READ, INC, MIN or MAX",
                   copy, edges, arg(y, READ), arg(g, access));
  for (const Access access : {MIN, MAX}) {
    const std::string text = ": access " + std::string(name_of(access)) +
                             ", expected READ, WRITE, RW or INC; MIN and MAX are for Globals";
    expect_refused("loop copy, argument 1 (dat y)" + text, copy, edges, arg(x, links[0], READ),
                   arg(y, access));
    expect_refused("loop copy, argument 0 (dat x)" + text, copy, edges, arg(x, links[0], access),
                   arg(y, READ));
  }
}

TEST_F(LoopCheckTest, one_global_reduced_in_two_ways) {
  const Global g = mesh.global("g", 1);
  const Kernel two("void two(int *a, int *b) { *a = 1; *b = 2; }", "two");
  expect_refused(
      "loop two, argument 1 (global g): access MIN, but argument 0 is the same with INC, expected "
      "one way of use",
      two, edges, arg(g, INC), arg(g, MIN));
}

TEST_F(LoopCheckTest, flatten_without_a_map) {
  expect_refused("loop copy, argument 0 (dat y): flatten() without a map", copy, edges,
                 arg(y, READ).flatten(), arg(y, WRITE));
}

TEST_F(LoopCheckTest, no_arguments) {
  expect_refused("loop copy: no arguments, expected 1 or more", copy, edges);
}

TEST_F(LoopCheckTest, objects_of_another_mesh) {
  Mesh other(quiet_options());
  const Set foreign = other.set("foreign", 3);
  const Dat f = other.dat<int>("f", foreign, 1);
  const Global g = other.global("g", 1);
  expect_refused("loop copy, argument 0 (dat f): belongs to another Mesh", copy, edges,
                 arg(f, READ), arg(y, WRITE));
  expect_refused("loop copy, argument 0 (global g): belongs to another Mesh", copy, edges,
                 arg(g, READ), arg(y, WRITE));
  // over a set of the other one, ours are the strangers
  expect_refused("loop copy, argument 0 (dat y): belongs to another Mesh", copy, foreign,
                 arg(y, READ), arg(f, WRITE));
  const Map map = other.map("across", foreign, foreign, 1, Indices{0, 1, 2});
  expect_refused("loop copy, argument 0 (dat x): belongs to another Mesh", copy, edges,
                 arg(x, map[0], READ), arg(y, WRITE));
}

TEST_F(LoopCheckTest, a_global_that_is_no_number_under_min_or_max) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Global g = mesh.global<double>("g", list({1.0, nan}));
  const Kernel least("void least(const int *y, double *g) { g[0] = g[1] = *y; }", "least");
  const std::string text =
      "loop least, argument 1 (global g): component 1 is NaN before MIN or MAX";
  expect_refused(text, least, edges, arg(y, READ), arg(g, MIN));
  expect_refused(text, least, edges, arg(y, READ), arg(g, MAX));
  // the same loop again, from the queue's memory
  g.set({1.0, 2.0});
  par_loop(least, edges, arg(y, READ), arg(g, MIN));
  EXPECT_EQ(g.values<double>(), list({0.0, 0.0}));
  g.set({1.0, nan});
  EXPECT_EQ(refusal([&] { par_loop(least, edges, arg(y, READ), arg(g, MIN)); }), text);
  // what counts is what was set last, not what has arrived on the device
  for (int round = 0; round < 50; ++round) {
    g.set({nan, nan});
    g.set({1.0, 2.0});
    par_loop(least, edges, arg(y, READ), arg(g, MIN));
    mesh.flush();
  }
  EXPECT_EQ(g.values<double>(), list({0.0, 0.0}));
}

TEST_F(LoopCheckTest, extruded_loops_need_offsets_that_stay_inside) {
  const Set base = mesh.set("base", 2);
  const Dat n = zeros<int>("n", nodes);
  const Map flat = mesh.map("flat", base, nodes, 1, Indices{0, 2});
  const Map up = mesh.map("up", base, nodes, 2, Indices{0, 1, 2, 3}, Indices{1, 1});
  const Map down = mesh.map("down", base, nodes, 1, Indices{2, 0}, Indices{-1});
  const Kernel one("void one(int *n) { *n += 1; }", "one");
  const auto text = [&](auto&& over, const MapUse& map) {
    return refusal([&] { par_loop(one, over, arg(n, map, INC)); });
  };
  EXPECT_EQ(text(base.extruded(2), flat[0]),
            "loop one, argument 0 (dat n): map flat has no vertical offsets, which loops over "
            "extruded sets need");
  EXPECT_EQ(text(base.extruded(5), up[0]),
            "loop one, argument 0 (dat n): map up: element 1, component 0 is 2, which 5 layers "
            "with offset 1 take to 5, expected 0 to 3 (set nodes)");
  EXPECT_EQ(text(base.extruded(3), up[1]),
            "loop one, argument 0 (dat n): map up: element 1, component 1 is 3, which 3 layers "
            "with offset 1 take to 4, expected 0 to 3 (set nodes)");
  EXPECT_EQ(text(base.extruded(3), down[0]),
            "loop one, argument 0 (dat n): map down: element 1, component 0 is 0, which 3 layers "
            "with offset -1 take to -1, expected 0 to 3 (set nodes)");
  EXPECT_EQ(mesh.queued(), 0u);
  par_loop(one, base.extruded(3), arg(n, up[0], INC));
  EXPECT_EQ(read<int>(n), list({1, 1, 1, 1}));
}

TEST_F(LoopCheckTest, kernels_without_a_name_or_text) {
  EXPECT_EQ(refusal([] { Kernel("", "k"); }),
            "kernel 'k': no code, expected a function in C and its name");
  EXPECT_EQ(refusal([] { Kernel("void k(int *x) {}", ""); }),
            "kernel '': no name, expected a function in C and its name");
}

TEST_F(LoopCheckTest, kernels_that_do_not_parse_with_their_line_and_column) {
  expect_text("k:2:", "void k(int *x) {\n  x[0] = ;\n}", arg(y, RW));
  expect_text("k:3:", "void k(int *x) {\n  x[0] = 1;\n  y + ;\n}", arg(y, RW));
  EXPECT_EQ(refusal([&] {
              par_loop(Kernel("void res_clac(int *y) { *y = 1; }", "res_calc"), edges, arg(y, RW));
            }),
            "res_calc: no function 'res_calc' is defined here; did you mean 'res_clac'?");
}

TEST_F(LoopCheckTest, kernels_with_a_wrong_number_of_parameters) {
  expect_text("kernel 'k' takes 1 parameter, the loop has 2 arguments",
              "void k(int *x) { *x = 1; }", arg(y, RW), arg(x, links[0], READ));
  expect_text("kernel 'k' takes 1 parameter, the loop has 1 argument and 1 iteration",
              "void k(int *x) { *x = 1; }", arg(x, links[index(0)], INC));
}

TEST_F(LoopCheckTest, kernels_with_parameters_of_wrong_types) {
  expect_text("argument 0 (Dat of int, RW) of the loop goes to parameter 'x' of 'k', a float *",
              "void k(float *x) { *x = 1; }", arg(y, RW));
  expect_text("int **, a pointer for each entry of the map was expected",
              "void k(const int *x, int *y) { *y = *x; }", arg(x, links, READ), arg(y, WRITE));
  expect_text("argument 0", "void k(int **x) { x[0][0] = 1; }", arg(y, RW));
  expect_text("argument 0", "void k(int x) { x = 1; }", arg(y, RW));
}

TEST_F(LoopCheckTest, kernels_that_write_what_they_only_read) {
  expect_text("writes through parameter 'x', but argument 0 of the loop is READ",
              "void k(int *x, int *y) { *x = *y; }", arg(y, READ), arg(x, links[0], READ));
}

TEST_F(LoopCheckTest, unknown_constants_with_a_suggestion) {
  mesh.constant("gamma_air", 1.4);
  const auto text = refusal([&] {
    par_loop(Kernel("void k(int *y) {\n  *y = gama_air > 1;\n}", "k"), edges, arg(y, WRITE));
  });
  EXPECT_NE(text.find("k:2:8"), std::string::npos) << text;
  EXPECT_NE(text.find("gama_air"), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean 'gamma_air'?"), std::string::npos) << text;
}

TEST_F(LoopCheckTest, a_refused_loop_leaves_those_that_wait_alone) {
  par_loop(copy, edges, arg(x, links[1], READ), arg(y, WRITE));
  refusal([&] { par_loop(copy, edges, arg(z, links[0], READ), arg(y, WRITE)); });
  refusal([&] { par_loop(Kernel("void k(", "k"), edges, arg(y, WRITE)); });
  EXPECT_EQ(mesh.queued(), 1u);
  EXPECT_EQ(read<int>(y), list({2, 3, 4}));
}

TEST_F(LoopCheckTest, one_dat_that_elements_would_change_while_others_use_it) {
  const Kernel change("void change(const int *a, int *b) { *b += *a; }", "change");
  const Map self = mesh.map("self", edges, edges, 2, Indices{0, 1, 1, 2, 2, 0});
  const auto refused = [&](const Arg& first, const Arg& second) {
    return refusal([&] { par_loop(change, edges, first, second); });
  };
  EXPECT_EQ(
      refused(arg(y, self[0], READ), arg(y, WRITE)),
      "loop change, argument 1 (dat y): WRITE, but argument 0 is the same with READ through "
      "map self: elements run in any order, and one would change what another uses, expected two "
      "Dats");
  EXPECT_EQ(
      refused(arg(y, READ), arg(y, self[1], INC)),
      "loop change, argument 1 (dat y): INC through map self, but argument 0 is the same with "
      "READ: elements run in any order, and one would change what another uses, expected two "
      "Dats");
  EXPECT_NE(refused(arg(y, self[0], READ), arg(y, self[1], WRITE)).find("in any order"),
            std::string::npos);
  EXPECT_NE(refused(arg(y, self[0], RW), arg(y, RW)).find("in any order"), std::string::npos);
  EXPECT_NE(refused(arg(y, self[0], INC), arg(y, INC)).find("in any order"), std::string::npos);
  EXPECT_NE(refused(arg(y, self[0], INC), arg(y, self[1], WRITE)).find("in any order"),
            std::string::npos);
  EXPECT_EQ(refused(arg(y, RW), arg(y, RW)),
            "loop change, argument 1 (dat y): RW, but argument 0 is the same with RW: one would "
            "undo what the other leaves, expected one argument");
  EXPECT_NE(refused(arg(y, INC), arg(y, WRITE)).find("one would undo"), std::string::npos);
  EXPECT_EQ(mesh.queued(), 0u);
}

TEST_F(LoopCheckTest, arguments_of_one_dat_that_no_order_changes_are_taken) {
  const Map self = mesh.map("self", edges, edges, 2, Indices{0, 1, 1, 2, 2, 0});
  const Kernel add("void add(int *a, int *b) { *a += 1; *b += 1; }", "add");
  par_loop(add, edges, arg(y, self[0], INC), arg(y, self[1], INC));
  par_loop(add, edges, arg(y, self[0], RW), arg(y, self[1], RW));
  par_loop(add, edges, arg(y, INC), arg(y, INC));
  const Kernel look("void look(const int *a, const int *b) {}", "look");
  par_loop(look, edges, arg(y, self[0], READ), arg(y, READ));
  mesh.finish();
}

}  // namespace
}  // namespace kiln::mesh::testing
