// Loops without maps.
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

constexpr std::size_t element_count = 1003;

/// Sets of several shapes: with and without halo, without a core, without any element.
class DirectLoopTest : public MeshTest,
                       public ::testing::WithParamInterface<std::array<std::size_t, 4>> {
 protected:
  Set elements = mesh.set("elements", GetParam());
  std::size_t owned = elements.size(), total = elements.total_size();
  /// `inside` for the elements that loops cover, `outside` for the halo.
  std::vector<int> expected(int inside, int outside) const {
    std::vector<int> values(total, outside);
    std::fill_n(values.begin(), owned, inside);
    return values;
  }
};

TEST_P(DirectLoopTest, writes_every_owned_element_and_no_other) {
  const Dat x = dat<int>("x", elements, 1, std::vector<int>(total, 7));
  par_loop(Kernel("void w(int *x) { *x = 42; }", "w"), elements, arg(x, WRITE));
  EXPECT_EQ(read<int>(x), expected(42, 7));
}

TEST_P(DirectLoopTest, reads_and_writes_every_owned_element_once) {
  const Dat x = dat<int>("x", elements, 1, std::vector<int>(total, 7));
  const Kernel plus("void plus(int *x) { *x += 1; }", "plus");
  par_loop(plus, elements, arg(x, RW));
  par_loop(plus, elements, arg(x, RW));
  EXPECT_EQ(read<int>(x), expected(9, 7));
}

TEST_P(DirectLoopTest, adds_to_what_is_there) {
  const Dat x = dat<int>("x", elements, 1, std::vector<int>(total, 7));
  par_loop(Kernel("void inc(int *x) { *x += 3; }", "inc"), elements, arg(x, INC));
  EXPECT_EQ(read<int>(x), expected(10, 7));
}

TEST_P(DirectLoopTest, reads_a_global) {
  const Dat x = zeros<int>("x", elements, 2);
  const Global g = mesh.global<int>("g", list({4, 5}));
  par_loop(Kernel("void r(int *x, const int *g) { x[0] = g[0]; x[1] = g[1]; }", "r"), elements,
           arg(x, WRITE), arg(g, READ));
  for (std::size_t e = 0; e < owned; ++e) {
    ASSERT_EQ(x.read<int>()[2 * e], 4);
    ASSERT_EQ(x.read<int>()[2 * e + 1], 5);
  }
}

TEST_P(DirectLoopTest, sums_owned_elements_into_a_global) {
  const Dat x = dat<int>("x", elements, 1, counting<int>(total, 1));
  const Global g = mesh.global("g", 1000);
  par_loop(Kernel("void sum(const int *x, int *g) { *g += *x; }", "sum"), elements, arg(x, READ),
           arg(g, INC));
  EXPECT_EQ(g.value<int>(), static_cast<int>(1000 + owned * (owned + 1) / 2));
}

TEST_P(DirectLoopTest, takes_the_least_and_the_greatest) {
  const Dat x = dat<int>("x", elements, 1, counting<int>(total, -3));
  const Global least = mesh.global("least", 1000), greatest = mesh.global("greatest", -1000);
  const Kernel both(
      "void both(const int *x, int *l, int *g) { if (*x < *l) *l = *x; if (*x > *g) *g = *x; }",
      "both");
  par_loop(both, elements, arg(x, READ), arg(least, MIN), arg(greatest, MAX));
  EXPECT_EQ(least.value<int>(), owned == 0 ? 1000 : -3);
  EXPECT_EQ(greatest.value<int>(), owned == 0 ? -1000 : static_cast<int>(owned) - 4);
}

TEST_P(DirectLoopTest, reads_one_global_and_reduces_into_another) {
  // PyOP2 bound these in another order than its kernels declared them.
  const Dat x = dat<int>("x", elements, 1, std::vector<int>(total, 2));
  const Global factor = mesh.global("factor", 5), sum = mesh.global("sum", 0);
  const Kernel k("void k(int *s, const int *x, const int *f) { *s += *f * *x; }", "k");
  par_loop(k, elements, arg(sum, INC), arg(x, READ), arg(factor, READ));
  EXPECT_EQ(sum.value<int>(), static_cast<int>(10 * owned));
  EXPECT_EQ(factor.value<int>(), 5);
}

TEST_P(DirectLoopTest, several_components_in_either_layout) {
  for (const auto layout : {DataLayout::aos, DataLayout::soa}) {
    const Dat x = dat<int>("x", elements, 3, counting<int>(3 * total), layout);
    const Dat y = zeros<int>("y", elements, 2, layout);
    const Kernel k("void k(const int *x, int *y) { y[0] = x[0] + x[2]; y[1] = x[1]; }", "k");
    par_loop(k, elements, arg(x, READ), arg(y, WRITE));
    const auto found = read<int>(y);
    for (std::size_t e = 0; e < total; ++e) {
      const int first = static_cast<int>(3 * e);
      ASSERT_EQ(found[2 * e], e < owned ? 2 * first + 2 : 0);
      ASSERT_EQ(found[2 * e + 1], e < owned ? first + 1 : 0);
    }
  }
}

TEST_P(DirectLoopTest, helpers_and_constants_are_used) {
  mesh.constant("scale", 3);
  const Dat x = dat<int>("x", elements, 1, std::vector<int>(total, 2));
  const Kernel k(
      "static void change(int *v) { *v = scale * *v; }\n"
      "void k(int *x) { int *at = x; change(at); }",
      "k");
  par_loop(k, elements, arg(x, RW));
  EXPECT_EQ(read<int>(x), expected(6, 2));
}

INSTANTIATE_TEST_SUITE_P(
    Sets, DirectLoopTest,
    ::testing::Values(std::array<std::size_t, 4>{element_count, element_count, element_count,
                                                 element_count},
                      std::array<std::size_t, 4>{0, element_count, element_count, element_count},
                      std::array<std::size_t, 4>{element_count / 2, element_count,
                                                 element_count + 9, element_count + 20},
                      std::array<std::size_t, 4>{0, 0, 5, 9},
                      std::array<std::size_t, 4>{0, 0, 0, 0},
                      std::array<std::size_t, 4>{1, 1, 1, 1}));

}  // namespace
}  // namespace kiln::mesh::testing
