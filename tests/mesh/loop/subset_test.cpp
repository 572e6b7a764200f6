#include <algorithm>

#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class SubsetLoopTest : public MeshTest {
 protected:
  static constexpr int count = 1000;
  Set elements = mesh.set("elements", count);
  static Indices every(int step, int first) {
    Indices indices;
    for (int i = first; i < count; i += step) indices.push_back(i);
    return indices;
  }
  Kernel inc{"void inc(int *x) { *x += 1; }", "inc"};
};

TEST_F(SubsetLoopTest, a_direct_loop_covers_its_elements_alone) {
  const Dat x = zeros<int>("x", elements);
  par_loop(inc, elements.subset(every(3, 1)), arg(x, RW));
  for (int e = 0; e < count; ++e) ASSERT_EQ(x.read<int>()[static_cast<std::size_t>(e)], e % 3 == 1);
}

TEST_F(SubsetLoopTest, an_empty_one_covers_nothing) {
  const Dat x = zeros<int>("x", elements);
  const Global g = mesh.global("g", 5);
  const Kernel k("void k(int *x, int *g) { *x = 1; *g += 1; }", "k");
  par_loop(k, elements.subset({}), arg(x, RW), arg(g, INC));
  EXPECT_EQ(read<int>(x), std::vector<int>(count));
  EXPECT_EQ(g.value<int>(), 5);
  const Map self = mesh.map("self", elements, elements, 1, counting<std::int32_t>(count));
  par_loop(inc, elements.subset({}), arg(x, self[0], INC));
  EXPECT_EQ(read<int>(x), std::vector<int>(count));
}

TEST_F(SubsetLoopTest, complementary_ones_cover_each_element_once) {
  // Two subsets of one size, set and map: one plan for both would run the first one twice.
  Indices to(count);
  for (int e = 0; e < count; ++e) to[static_cast<std::size_t>(e)] = e / 2;
  const Set targets = mesh.set("targets", count / 2);
  const Map map = mesh.map("map", elements, targets, 1, to);
  const Subset even = elements.subset(every(2, 0)), odd = elements.subset(every(2, 1));
  const Dat e = dat<int>("e", elements, 1, counting<int>(count));
  for (const auto& form :
       {Parameters{{"FORM", 0}}, Parameters{{"FORM", 2}}, Parameters{{"FORM", 3}}}) {
    use_form(form);
    const Dat sum = zeros<int>("sum", targets), some = zeros<int>("some", targets);
    const Kernel add("void add(const int *e, int *s) { *s += *e; }", "add");
    par_loop(add, even, arg(e, READ), arg(sum, map[0], INC));
    par_loop(add, even, arg(e, READ), arg(some, map[0], INC));
    par_loop(add, odd, arg(e, READ), arg(sum, map[0], INC));
    for (int t = 0; t < count / 2; ++t) {
      ASSERT_EQ(some.read<int>()[static_cast<std::size_t>(t)], 2 * t);
      ASSERT_EQ(sum.read<int>()[static_cast<std::size_t>(t)], 4 * t + 1);
    }
  }
}

TEST_F(SubsetLoopTest, reads_through_maps_at_its_elements) {
  const Map back = mesh.map("back", elements, elements, 1, [] {
    auto to = counting<std::int32_t>(count);
    std::reverse(to.begin(), to.end());
    return to;
  }());
  const Dat x = dat<int>("x", elements, 1, counting<int>(count)), y = zeros<int>("y", elements);
  const Kernel copy("void copy(const int *x, int *y) { *y = *x; }", "copy");
  par_loop(copy, elements.subset(every(7, 3)), arg(x, back[0], READ), arg(y, WRITE));
  for (int e = 0; e < count; ++e)
    ASSERT_EQ(y.read<int>()[static_cast<std::size_t>(e)], e % 7 == 3 ? count - 1 - e : 0);
}

TEST_F(SubsetLoopTest, reduces_over_its_elements) {
  const Dat x = dat<double>("x", elements, 1, counting<double>(count));
  const Global g = mesh.global("g", 0.0);
  const Kernel sum("void sum(const double *x, double *g) { *g += *x; }", "sum");
  par_loop(sum, elements.subset(every(10, 9)), arg(x, READ), arg(g, INC));
  EXPECT_EQ(g.value<double>(), 100 * (9 + 999) / 2.0);
}

TEST_F(SubsetLoopTest, leaves_the_halo_to_others) {
  const Set part = mesh.set("part", {2, 5, 7, 9});
  const Dat x = zeros<int>("x", part);
  par_loop(inc, part.subset(Indices{0, 3, 4, 5, 6, 8}), arg(x, RW));
  EXPECT_EQ(read<int>(x), list({1, 0, 0, 1, 1, 0, 0, 0, 0}));
  // what it reaches through maps is computed redundantly
  const Map self = mesh.map("self", part, part, 1, counting<std::int32_t>(9));
  par_loop(inc, part.subset(Indices{0, 3, 4, 5, 6, 8}), arg(x, self[0], INC));
  EXPECT_EQ(read<int>(x), list({2, 0, 0, 2, 2, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace kiln::mesh::testing
