// fork() beside loops: the child is refused and does not wait for ever, the parent goes on.
#include "forked_child.hpp"
#include "mesh/object/mesh_fixture.hpp"

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

}  // namespace
}  // namespace kiln::mesh::testing
