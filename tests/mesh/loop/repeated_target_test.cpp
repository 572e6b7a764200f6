// Elements one after another that reach the same target each see what the one before left, whatever
// else the loop does.
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class RepeatedTargets : public MeshTest {
 protected:
  static constexpr std::size_t count = 500;
  Set edges = mesh.set("edges", count), cells = mesh.set("cells", 7);
  // Neighbours share their target.
  Map to = mesh.map("to", edges, cells, 3, [] {
    Indices values;
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t target : {i / 100, i / 50 % 7, std::size_t{6}})
        values.push_back(static_cast<std::int32_t>(target));
    return values;
  }());

  /// A loop with two arrays whose distance is known at run time only, besides `sum`.
  template <class T>
  Dat apart(const char* name) {
    return mesh.dat<T>(name, edges, 2, {}, DataLayout::soa);
  }
};

// LLVM 15's loop vectoriser forgets that a[i[k]] += 1 depends on itself where it checks at run time
// whether other arrays overlap.
TEST_F(RepeatedTargets, of_increments_and_changes_in_place) {
  for (const auto& form :
       {Parameters{{"FORM", 0}, {"LANES", 1}}, Parameters{{"FORM", 2}, {"GROUP", 4}}}) {
    use_form(form);
    const Dat one = apart<std::int64_t>("one"), other = apart<std::int64_t>("other");
    const Dat sum = mesh.dat<float>("sum", cells, 1),
              changed = mesh.dat<float>("changed", cells, 1);
    const Kernel kernel("void f(long *one, float *sum) { one[0] += 1; one[1] += 2; sum[0] += 1; }",
                        "f");
    par_loop(kernel, edges, arg(one, INC), arg(sum, to[0], INC));
    par_loop(kernel, edges, arg(other, INC), arg(changed, to[0], RW));
    EXPECT_EQ(read<float>(sum), list<float>({100, 100, 100, 100, 100, 0, 0}));
    EXPECT_EQ(read<float>(changed), list<float>({100, 100, 100, 100, 100, 0, 0}));
  }
}

TEST_F(RepeatedTargets, of_what_iteration_indices_name) {
  const Dat one = apart<std::int64_t>("one"), sum = mesh.dat<float>("sum", cells, 1);
  const Kernel kernel(
      "void f(long *one, float *sum, int i) { one[0] += 1; one[1] += i; sum[0] += 1; }", "f");
  par_loop(kernel, edges, arg(one, INC), arg(sum, to[index(0)], INC));
  EXPECT_EQ(read<float>(sum), list<float>({200, 200, 200, 150, 150, 50, 550}));
}

TEST_F(RepeatedTargets, of_the_cells_of_a_column) {
  const Set base = mesh.set("base", 2), columns = mesh.set("columns", 80);
  // All cells of a column have one target.
  const Map ground = mesh.map("ground", base, cells, 1, Indices{2, 5}, Indices{0});
  const Map up = mesh.map("up", base, columns, 1, Indices{0, 40}, Indices{1});
  const Dat one = mesh.dat<std::int64_t>("one", columns, 2, {}, DataLayout::soa);
  const Dat sum = mesh.dat<float>("sum", cells, 1);
  const Kernel kernel("void f(long *one, float *sum) { one[0] += 1; one[1] += 2; sum[0] += 1; }",
                      "f");
  par_loop(kernel, base.extruded(41), arg(one, up[0], INC), arg(sum, ground[0], INC));
  EXPECT_EQ(read<float>(sum), list<float>({0, 0, 40, 0, 0, 40, 0}));
}

}  // namespace
}  // namespace kiln::mesh::testing
