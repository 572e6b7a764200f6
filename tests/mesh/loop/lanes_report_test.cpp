// A loop's report says how many elements go at once, and why only one.
#include "../object/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

TEST(LaneReports, say_why_elements_go_one_by_one) {
  Mesh::Options options = quiet_options();
  options.timing = true;
  Mesh mesh(options);
  const Set set = mesh.set("set", 40);
  const Dat x = mesh.dat<double>("x", set, 1), y = mesh.dat<double>("y", set, 1);
  const auto run = [&](const char* name, const std::string& text) {
    par_loop(Kernel(text, name), set, arg(x, READ), arg(y, WRITE));
  };
  run("many",
      "void many(const double *x, double *y) { if (x[0] > 0) y[0] = 2 * x[0]; else y[0] = 1; }");
  run("one",
      "void one(const double *x, double *y) {\n  int n = 3;\n  if (x[0] > 0) n = 2;\n  y[0] = "
      "n;\n}");
  const auto loops = mesh.report();
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].lanes, 8u);
  EXPECT_EQ(loops[0].lanes_obstacle, "");
  EXPECT_EQ(loops[1].lanes, 1u);
  EXPECT_EQ(loops[1].lanes_obstacle,
            "one:3: an integer or pointer that changes for some elements only");
}

}  // namespace
}  // namespace kiln::mesh::testing
