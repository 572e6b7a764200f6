#include <cstdlib>

#include "layer/layer_process.hpp"

// Real programs, which know nothing of Kiln: their output is the same with the layer and without,
// and at their second start nothing is compiled. Each is skipped where its package is absent.
namespace kiln::testing {
namespace {

namespace fs = std::filesystem;

class Programs : public LayerTest, public ::testing::WithParamInterface<const char*> {
 protected:
  /// Runs the program; its own cache, like the driver's, is empty.
  ProcessResult run_program(Environment environment, const std::string& output) const {
    environment["LAYER_CACHE"] = empty_cache("own-cache");
    environment["LAYER_PROGRAMS"] = KILN_BINARY_DIR "/tests/layer/programs";
    environment["HOME"] = folder() / "home";
    environment["XDG_CACHE_HOME"] = folder() / "home/.cache";
    fs::create_directories(folder() / "home/.cache");
    const std::string script =
        std::string(KILN_SOURCE_DIR "/tests/layer/programs/") + GetParam() + ".sh";
    return run("/bin/bash", {script, folder() / output}, environment);
  }

  std::string output_of(const std::string& name) const {
    return value_or_throw(read_text(folder() / name / "output"));
  }
};

TEST_P(Programs, WriteTheSameAndCompileNothingAtTheirLaterStarts) {
  if (GetParam() == std::string("darktable") && std::getenv("KILN_LONG") == nullptr)
    GTEST_SKIP() << "takes minutes: KILN_LONG=1";
  empty_cache("plain-cache");
  const auto without = run_program(plain(), "without");
  if (without.exit_code == 77) GTEST_SKIP() << without.output;
  ASSERT_EQ(without.exit_code, 0) << without.errors;

  empty_cache();
  const auto cold = run_program(layer(), "cold");
  EXPECT_EQ(cold.exit_code, 0) << cold.errors;
  EXPECT_EQ(output_of("cold"), output_of("without"));

  // Local sizes that the driver chose are known from here on.
  empty_cache();
  forget_report();
  const auto warm = run_program(layer(), "warm");
  EXPECT_EQ(warm.exit_code, 0) << warm.errors;
  EXPECT_EQ(output_of("warm"), output_of("without"));
  EXPECT_GT(count_of(report(), "\n  served\n"), 0u) << report();
  EXPECT_EQ(count_of(report(), "compile      hit"), 0u) << report();
  EXPECT_EQ(count_of(report(), "variant      hit"), 0u) << report();
}

INSTANTIATE_TEST_SUITE_P(All, Programs,
                         ::testing::Values("pyopencl", "opencv", "ffmpeg", "viennacl_cg",
                                           "viennacl_dense", "clblast", "clpeak", "darktable"),
                         [](const auto& program) { return std::string(program.param); });

}  // namespace
}  // namespace kiln::testing
