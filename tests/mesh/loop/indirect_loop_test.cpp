// Loops through one component of a map, through all of them, through iteration indices.
#include <algorithm>
#include <random>

#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class IndirectLoopTest : public MeshTest {
 protected:
  static constexpr int count = 1000;
  IndirectLoopTest() {
    for (const auto target : order) pairs.insert(pairs.end(), {target, (target + 1) % count});
  }
  static Indices shuffled() {
    auto indices = counting<std::int32_t>(count);
    std::shuffle(indices.begin(), indices.end(), std::mt19937(7));
    return indices;
  }
  Set elements = mesh.set("elements", count), targets = mesh.set("targets", count);
  Indices order = shuffled(), pairs;
  Map onto = mesh.map("onto", elements, targets, 1, order);
  Map two() { return mesh.map("two", elements, targets, 2, pairs); }
  Dat numbers(const char* name, const Set& set) {
    return dat<int>(name, set, 1, counting<int>(count));
  }
};

TEST_F(IndirectLoopTest, writes_through_a_map) {
  const Dat x = numbers("x", targets);
  par_loop(Kernel("void w(int *x) { *x = 42; }", "w"), elements, arg(x, onto[0], WRITE));
  EXPECT_EQ(read<int>(x), std::vector<int>(count, 42));
}

TEST_F(IndirectLoopTest, reads_and_writes_through_a_map) {
  const Dat x = numbers("x", targets);
  par_loop(Kernel("void rw(int *x) { *x = *x + 1; }", "rw"), elements, arg(x, onto[0], RW));
  EXPECT_EQ(read<int>(x), counting<int>(count, 1));
}

TEST_F(IndirectLoopTest, adds_through_a_map_all_elements_to_one) {
  const Map all = mesh.map("all", elements, targets, 1, Indices(count, 7));
  const Dat x = zeros<int>("x", targets);
  par_loop(Kernel("void inc(int *x) { *x += 1; }", "inc"), elements, arg(x, all[0], INC));
  EXPECT_EQ(x.read<int>()[7], count);
  EXPECT_EQ(x.read<int>()[6], 0);
}

TEST_F(IndirectLoopTest, rw_through_a_map_all_elements_to_one) {
  const Map all = mesh.map("all", elements, targets, 1, Indices(count, 7));
  const Dat x = zeros<int>("x", targets);
  par_loop(Kernel("void rw(int *x) { *x += 1; }", "rw"), elements, arg(x, all[0], RW));
  EXPECT_EQ(x.read<int>()[7], count);
}

TEST_F(IndirectLoopTest, reads_a_global_beside_a_map) {
  const Dat x = numbers("x", targets);
  const Global g = mesh.global("g", 2);
  par_loop(Kernel("void k(int *x, const int *g) { *x += *g; }", "k"), elements, arg(x, onto[0], RW),
           arg(g, READ));
  EXPECT_EQ(read<int>(x), counting<int>(count, 2));
}

TEST_F(IndirectLoopTest, reduces_beside_a_map) {
  const Dat x = numbers("x", targets);
  const Global g = mesh.global("g", 0);
  par_loop(Kernel("void k(int *x, int *g) { *x += 1; *g += *x; }", "k"), elements,
           arg(x, onto[0], RW), arg(g, INC));
  EXPECT_EQ(g.value<int>(), count * (count + 1) / 2);
}

TEST_F(IndirectLoopTest, components_in_falling_order_keep_their_places) {
  // PyOP2 swapped these where they were staged.
  const Map map = two();
  const Dat x = numbers("x", targets), y = zeros<int>("y", elements);
  const Kernel k("void k(const int *b, const int *a, int *y) { *y = *b - *a; }", "k");
  for (const auto& form : {Parameters{{"FORM", 0}, {"LANES", 1}}, Parameters{{"FORM", 3}}}) {
    use_form(form);
    const Dat found = zeros<int>("found", elements);
    par_loop(k, elements, arg(x, map[1], READ), arg(x, map[0], READ), arg(found, WRITE));
    for (std::size_t e = 0; e < count; ++e)
      ASSERT_EQ(found.read<int>()[e], (order[e] + 1) % count - order[e]);
  }
}

TEST_F(IndirectLoopTest, vector_maps_give_a_pointer_for_each_component) {
  const Map map = two();
  const Dat x = dat<int>("x", targets, 2, counting<int>(2 * count)), y = zeros<int>("y", elements);
  const Kernel k("void k(int **x, int *y) { *y = x[0][1] + 3 * x[1][0]; }", "k");
  par_loop(k, elements, arg(x, map, READ), arg(y, WRITE));
  for (std::size_t e = 0; e < count; ++e)
    ASSERT_EQ(y.read<int>()[e], 2 * order[e] + 1 + 6 * ((order[e] + 1) % count));
}

TEST_F(IndirectLoopTest, vector_maps_write) {
  const Map map = two();
  const Dat x = zeros<int>("x", targets, 2);
  par_loop(Kernel("void k(int **x) { x[0][0] = x[1][0] = 5; x[0][1] = x[1][1] = 6; }", "k"),
           elements, arg(x, map, WRITE));
  for (std::size_t e = 0; e < 2 * count; ++e) ASSERT_EQ(x.read<int>()[e], e % 2 == 0 ? 5 : 6);
}

TEST_F(IndirectLoopTest, vector_maps_add) {
  const Map map = two();
  const Dat x = zeros<int>("x", targets), y = numbers("y", elements);
  par_loop(Kernel("void k(int **x, const int *y) { *x[0] += *y; *x[1] += 1000; }", "k"), elements,
           arg(x, map, INC), arg(y, READ));
  for (std::size_t e = 0; e < count; ++e)
    ASSERT_EQ(x.read<int>()[static_cast<std::size_t>(order[e])], 1000 + static_cast<int>(e));
}

TEST_F(IndirectLoopTest, flatten_goes_component_by_component) {
  const Map map = two();
  const Dat x = dat<int>("x", targets, 2, counting<int>(2 * count)),
            y = zeros<int>("y", elements, 4);
  const Kernel k("void k(int **x, int *y) { for (int i = 0; i < 4; ++i) y[i] = *x[i]; }", "k");
  par_loop(k, elements, arg(x, map, READ).flatten(), arg(y, WRITE));
  for (std::size_t e = 0; e < count; ++e) {
    const int a = 2 * order[e], b = 2 * ((order[e] + 1) % count);
    EXPECT_EQ(y.read<int>()[4 * e], a);
    EXPECT_EQ(y.read<int>()[4 * e + 1], b);
    EXPECT_EQ(y.read<int>()[4 * e + 2], a + 1);
    ASSERT_EQ(y.read<int>()[4 * e + 3], b + 1);
  }
}

TEST_F(IndirectLoopTest, an_iteration_index_calls_once_for_each_component) {
  const Map map = two();
  const Dat x = numbers("x", targets), y = zeros<int>("y", elements);
  const Kernel k("void k(const int *x, int *y, int i) { *y += (i + 1) * *x; }", "k");
  par_loop(k, elements, arg(x, map[index(0)], READ), arg(y, INC));
  for (std::size_t e = 0; e < count; ++e)
    ASSERT_EQ(y.read<int>()[e], order[e] + 2 * ((order[e] + 1) % count));
}

TEST_F(IndirectLoopTest, two_iteration_indices_call_for_each_pair) {
  const Map map = two();
  const Dat x = zeros<int>("x", targets, 2);
  const Kernel k(
      "void k(int *x, const int *n, int i, int j) { x[0] += 1; x[1] += 10 * i + j + 0 * *n; }",
      "k");
  const Dat n = numbers("n", targets);
  par_loop(k, elements, arg(x, map[index(0)], INC), arg(n, map[index(1)], READ));
  for (std::size_t t = 0; t < count; ++t) {
    ASSERT_EQ(x.read<int>()[2 * t], 4);
    ASSERT_EQ(x.read<int>()[2 * t + 1], 0 + 1 + 10 + 11);
  }
}

TEST_F(IndirectLoopTest, two_dats_through_two_maps_to_two_sets) {
  const Set others = mesh.set("others", 3);
  Indices thirds(count);
  for (std::size_t e = 0; e < count; ++e) thirds[e] = static_cast<std::int32_t>(e % 3);
  const Map to_others = mesh.map("to_others", elements, others, 1, thirds);
  const Dat x = numbers("x", targets), sums = zeros<int>("sums", others);
  par_loop(Kernel("void k(const int *x, int *s) { *s += *x; }", "k"), elements,
           arg(x, onto[0], READ), arg(sums, to_others[0], INC));
  std::vector<int> expected(3);
  for (std::size_t e = 0; e < count; ++e) expected[e % 3] += order[e];
  EXPECT_EQ(read<int>(sums), expected);
}

TEST_F(IndirectLoopTest, loops_that_share_arguments_otherwise_are_other_loops) {
  // x, x, y and x, y, y have the same Dats: a key that only counts them takes one for the other.
  const Map map = two();
  const Dat x = numbers("x", targets);
  const Dat y = dat<int>("y", targets, 1, std::vector<int>(count, 100000));
  const Kernel k("void k(const int *a, const int *b, const int *c, int *r) { *r = *a + *b + *c; }",
                 "k");
  const Dat one = zeros<int>("one", elements), other = zeros<int>("other", elements);
  par_loop(k, elements, arg(x, map[0], READ), arg(x, map[0], READ), arg(y, map[0], READ),
           arg(one, WRITE));
  par_loop(k, elements, arg(x, map[0], READ), arg(y, map[0], READ), arg(y, map[0], READ),
           arg(other, WRITE));
  EXPECT_EQ(one.read<int>()[0], 2 * order[0] + 100000);
  EXPECT_EQ(other.read<int>()[0], order[0] + 200000);
}

TEST_F(IndirectLoopTest, one_soa_kernel_on_two_sets_of_other_sizes) {
  // A stride that is written into the code is wrong for the second.
  const Kernel k("void k(int *x) { x[0] += 1; x[1] += 2; }", "k");
  for (const int size : {10, 25}) {
    const auto n = static_cast<std::size_t>(size);
    const Set set = mesh.set("set", n);
    const Map self = mesh.map("self", set, set, 1, counting<std::int32_t>(n));
    const Dat x = zeros<int>("x", set, 2, DataLayout::soa);
    par_loop(k, set, arg(x, self[0], INC));
    for (std::size_t e = 0; e < n; ++e) {
      ASSERT_EQ(x.read<int>()[2 * e], 1);
      ASSERT_EQ(x.read<int>()[2 * e + 1], 2);
    }
  }
}

}  // namespace
}  // namespace kiln::mesh::testing
