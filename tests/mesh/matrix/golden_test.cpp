// The text of the kernels on matrices: macros, then templates, which stand here as their names.
// KILN_RENEW_GOLDEN=1 writes the files anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mesh/codegen/helper_text.hpp"
#include "mesh/matrix/matrix_generator.hpp"
#include "test_paths.hpp"

namespace kiln::mesh::testing {
namespace {

void expect_golden(const std::string& name, const MatrixShape& shape, bool cpu, double length) {
  const std::filesystem::path path =
      std::filesystem::path(KILN_SOURCE_DIR "/tests/mesh/matrix/golden") / name;
  const MatrixGenerator generator;
  const Request request = make_matrix_request(shape, cpu, length);
  const Parameters parameters = generator.defaults(request);
  ASSERT_TRUE(generator.accepts(request, parameters));
  std::string text = generator.generate(request, parameters);
  for (const char* part : {"fp64", "matrix_prelude", "find", "matrix"}) {
    const auto at = text.find(template_text(part));
    ASSERT_NE(at, std::string::npos) << part;
    text.replace(at, template_text(part).size(), fmt::format("<{}>\n", part));
  }
  if (std::getenv("KILN_RENEW_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

TEST(GoldenMatrix, kernels_of_both_forms) {
  expect_golden("blocks.cl", {ScalarType::f64, 2, 3, true, true}, true, 9);
  expect_golden("lanes.cl", {ScalarType::f32, 1, 1, false, false}, false, 9);
}

TEST(MatrixGenerator, gives_longer_rows_more_lanes_and_shares_programs_of_like_lengths) {
  const MatrixGenerator generator;
  const MatrixShape shape;
  const auto lanes = [&](double length) {
    return generator.defaults(make_matrix_request(shape, false, length)).get("LANES", 0);
  };
  EXPECT_EQ(lanes(0), 1);
  EXPECT_EQ(lanes(9), 4);
  EXPECT_EQ(lanes(15.4), 4);
  EXPECT_EQ(lanes(27), 8);
  EXPECT_EQ(lanes(5000), 32);
}

TEST(MatrixGenerator, takes_groups_and_lanes_that_are_powers_of_2) {
  const MatrixGenerator generator;
  const Request request = make_matrix_request({}, false, 9);
  EXPECT_TRUE(generator.accepts(request, {{"FORM", 1}, {"GROUP", 64}, {"LANES", 64}}));
  EXPECT_FALSE(generator.accepts(request, {{"FORM", 1}, {"GROUP", 64}, {"LANES", 128}}));
  EXPECT_FALSE(generator.accepts(request, {{"FORM", 1}, {"GROUP", 96}, {"LANES", 4}}));
  EXPECT_FALSE(generator.accepts(request, {{"FORM", 1}, {"GROUP", 64}, {"LANES", 0}}));
  EXPECT_FALSE(generator.accepts(request, {{"FORM", 2}}));
  EXPECT_TRUE(generator.accepts(request, {{"FORM", 0}, {"SUMS", 4}, {"BLOCK", 100}}));
  EXPECT_FALSE(generator.accepts(request, {{"FORM", 0}, {"SUMS", 0}}));
  EXPECT_FALSE(generator.accepts(request, {{"FORM", 0}, {"BLOCK", 0}}));
  // A kernel gets it as an int, where 2^32 would be 0 rows.
  EXPECT_TRUE(generator.accepts(request, {{"FORM", 0}, {"BLOCK", 1 << 24}}));
  EXPECT_FALSE(generator.accepts(request, {{"FORM", 0}, {"BLOCK", (1 << 24) + 1}}));
  EXPECT_FALSE(generator.accepts(request, {{"FORM", 0}, {"BLOCK", std::int64_t{1} << 32}}));
}

}  // namespace
}  // namespace kiln::mesh::testing
