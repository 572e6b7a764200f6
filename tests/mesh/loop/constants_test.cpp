// Constants by name, and that changing them changes results but no code.
#include "mesh/model/mesh_fixture.hpp"

namespace kiln::mesh::testing {
namespace {

class ConstantsTest : public MeshTest {
 protected:
  Set elements = mesh.set("elements", 100);
  Dat x = zeros<double>("x", elements);
  Kernel use{"void use(double *x) { *x = alpha; }", "use"};
  std::size_t programs() { return mesh.report().size(); }
};

TEST_F(ConstantsTest, a_scalar_is_used_by_its_name) {
  mesh.constant("alpha", 2.5);
  par_loop(use, elements, arg(x, WRITE));
  EXPECT_EQ(read<double>(x), std::vector<double>(100, 2.5));
}

TEST_F(ConstantsTest, several_values_are_an_array) {
  mesh.constant<double>("beta", list({1.0, 20.0, 300.0}));
  par_loop(Kernel("void k(double *x) { *x = beta[0] + beta[1] + beta[2]; }", "k"), elements,
           arg(x, WRITE));
  EXPECT_EQ(read<double>(x), std::vector<double>(100, 321.0));
}

TEST_F(ConstantsTest, of_every_type) {
  mesh.constant("b", std::int8_t{-3});
  mesh.constant("i", -40);
  mesh.constant("u", std::uint64_t{5000000000});
  mesh.constant("f", 0.5f);
  par_loop(Kernel("void k(double *x) { *x = b + i + (double)u + f; }", "k"), elements,
           arg(x, WRITE));
  EXPECT_EQ(read<double>(x), std::vector<double>(100, 5000000000.0 - 43 + 0.5));
}

TEST_F(ConstantsTest, loops_that_wait_see_the_value_of_their_call) {
  Const alpha = mesh.constant("alpha", 1.0);
  Const beta = mesh.constant<double>("beta", list({1.0, 2.0}));
  const Kernel both("void both(double *x) { *x = 100 * alpha + beta[1]; }", "both");
  std::vector<Dat> results;
  for (int round = 0; round < 20; ++round) {
    results.push_back(zeros<double>("r", elements));
    par_loop(both, elements, arg(results.back(), WRITE));
    alpha.set(round + 2.0);
    beta.set<double>(list({0.0, round + 3.0}));
  }
  for (int round = 19; round >= 0; --round)
    EXPECT_EQ(read<double>(results[static_cast<std::size_t>(round)])[5],
              100 * (round + 1.0) + round + 2.0);
}

TEST_F(ConstantsTest, changing_one_makes_no_new_loop_and_no_new_program) {
  Const alpha = mesh.constant("alpha", 1.0);
  double seconds = -1;
  for (int round = 0; round < 5; ++round) {
    alpha.set(static_cast<double>(round));
    par_loop(use, elements, arg(x, WRITE));
    EXPECT_EQ(read<double>(x)[99], round);
    const auto report = mesh.report();
    ASSERT_EQ(report.size(), 1u);
    EXPECT_EQ(report[0].count, static_cast<std::size_t>(round + 1));
    if (round > 0) {
      EXPECT_EQ(report[0].compile_seconds, seconds);
    }
    seconds = report[0].compile_seconds;
  }
}

TEST_F(ConstantsTest, in_helpers_and_in_lanes) {
  Const alpha = mesh.constant("alpha", 2.0);
  const Kernel k(
      "static double f(double v) { return v * alpha; }\nvoid k(double *x) { *x = f(*x + 1); }",
      "k");
  par_loop(k, elements, arg(x, RW));
  alpha.set(10.0);
  par_loop(k, elements, arg(x, RW));
  EXPECT_EQ(read<double>(x), std::vector<double>(100, 30.0));
}

TEST_F(ConstantsTest, a_parameter_that_hides_one_is_told) {
  mesh.constant("alpha", 2.0);
  const auto text = refusal([&] {
    par_loop(Kernel("static double f(double v) { return v * alpha; }\n"
                    "void k(double *alpha) { *alpha = f(1); }",
                    "k"),
             elements, arg(x, RW));
  });
  EXPECT_NE(text.find("'alpha' hides the constant"), std::string::npos) << text;
}

TEST_F(ConstantsTest, declared_after_a_loop_it_serves_the_loops_after_it) {
  par_loop(Kernel("void one(double *x) { *x = 1; }", "one"), elements, arg(x, WRITE));
  mesh.constant("alpha", 7.0);
  par_loop(use, elements, arg(x, WRITE));
  EXPECT_EQ(read<double>(x)[0], 7.0);
}

TEST_F(ConstantsTest, those_of_two_meshes_are_apart) {
  Mesh other(quiet_options());
  const Set theirs = other.set("theirs", 3);
  const Dat y = other.dat<double>("y", theirs, 1);
  mesh.constant("alpha", 1.0);
  other.constant("alpha", 2.0);
  par_loop(use, elements, arg(x, WRITE));
  par_loop(use, theirs, arg(y, WRITE));
  EXPECT_EQ(read<double>(x)[0], 1.0);
  EXPECT_EQ(read<double>(y)[0], 2.0);
}

}  // namespace
}  // namespace kiln::mesh::testing
