// The text of each form, held against files in tests/mesh/codegen/golden. After a change that is
// meant: KILN_RENEW_GOLDEN=1 writes them anew, and text_version in loop_generator.cpp rises.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mesh/codegen/loop_data.hpp"
#include "test_paths.hpp"

namespace kiln::mesh::testing {
namespace {

namespace fs = std::filesystem;

void expect_golden(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(KILN_SOURCE_DIR "/tests/mesh/codegen/golden") / name;
  if (std::getenv("KILN_RENEW_GOLDEN") != nullptr) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

/// An edge's flux between two cells, with a constant, a helper and the greatest flux.
LoopShape flux_shape() {
  return loop(
      "static double jump(const double *a, const double *b) { return eps * (a[1] - b[0]); }\n"
      "void flux(const double *a, const double *b, const double *w, double *r, double *most) {\n"
      "  double f = jump(a, b) + 0.5f * w[0];\n"
      "  r[0] += f; r[1] -= f;\n"
      "  *most = fmax(*most, f);\n"
      "}\n",
      "flux",
      {through(direct(0, 2, Access::read, f64), 0, 0, 2, 0),
       through(direct(0, 2, Access::read, f64), 0, 0, 2, 1), direct(1, 1, Access::read, f64),
       through(direct(2, 2, Access::inc, f64), 0, 1, 2, 1), global(0, 1, Access::max, f64)},
      {{"eps", f64, 1, true}});
}

std::string text(const LoopShape& shape, const Parameters& parameters,
                 const BuiltIns& on_vectors = {}) {
  const LoopGenerator generator;
  Request request = make_request(shape, {}, 0);
  LoopPayload loop = request.payload.as<LoopPayload>();
  loop.on_vectors = on_vectors;
  request.payload = std::move(loop);
  EXPECT_TRUE(generator.accepts(request, parameters));
  return generator.generate(request, parameters);
}

TEST(GoldenLoops, of_every_form) {
  expect_golden("flux.blocks.cl", text(flux_shape(), {{"FORM", 0}, {"LANES", 1}}));
  const Parameters lanes{{"FORM", 0}, {"LANES", 4}};
  expect_golden("flux.blocks.lanes4.cl", text(flux_shape(), lanes, {{"fmax", f64}, {"sin", f64}}));
  expect_golden("flux.blocks.lanes4.by_lane.cl", text(flux_shape(), lanes, {{"fmax", f32}}));
  expect_golden("flux.atomic.cl", text(flux_shape(), {{"FORM", 1}, {"GROUP", 64}}));
  expect_golden("flux.atomic.ptx.cl", text(flux_shape(), {{"FORM", 1}, {"GROUP", 64}, {"PTX", 1}}));
  expect_golden("flux.coloured.cl", text(flux_shape(), {{"FORM", 2}, {"GROUP", 64}}));
  expect_golden("flux.staged.cl", text(flux_shape(), {{"FORM", 3}, {"GROUP", 64}}));
}

TEST(GoldenLoops, of_direct_loops_that_go_past_the_caches) {
  const auto shape =
      loop("void save(const double *q, double *old) { for (int n = 0; n < 4; ++n) old[n] = q[n]; }",
           "save", {direct(0, 4, Access::read, f64), direct(1, 4, Access::write, f64)});
  expect_golden("save.blocks.lanes8.cl", text(shape, {{"FORM", 0}, {"LANES", 8}, {"STREAM", 1}}));
}

TEST(GoldenLoops, of_matrices_columns_and_subsets) {
  ArgShape mat = through_index(direct(0, 1, Access::inc, f64), 0, -1, 3, 0);
  mat.kind = ArgShape::Kind::mat;
  mat.column_map = 0;
  mat.column_arity = 3;
  mat.column_index = 1;
  auto shape =
      loop("void entry(double m[1][1], double **x, int i, int j) { m[0][0] += x[i][0] * x[j][1]; }",
           "entry", {mat, through_all(direct(0, 2, Access::read, f64), 0, 0, 3)});
  shape.extents = {3, 3};
  shape.subset = true;
  shape.extruded = true;
  expect_golden("entry.blocks.cl", text(shape, {{"FORM", 0}}));
}

}  // namespace
}  // namespace kiln::mesh::testing
