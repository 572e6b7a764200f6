#include "layer/layer_process.hpp"

// Real programs, which know nothing of Kiln: their output is the same with the layer and without,
// and at their second start nothing is compiled. Each is skipped where its package is absent.
namespace kiln::testing {
namespace {

namespace fs = std::filesystem;

/// What a program wrote without the layer; once for all of its tests.
struct Without {
  ProcessResult result;
  std::string output;
};

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

  static bool is_long() { return GetParam() == std::string("darktable") && !is_long_run(); }

  const Without& run_without() const {
    static std::map<std::string, Without> all;
    const auto known = all.find(GetParam());
    if (known != all.end()) return known->second;
    empty_cache("plain-cache");
    Without without{run_program(plain(), "without"), ""};
    if (without.result.exit_code == 0) without.output = output_of("without");
    return all.emplace(GetParam(), std::move(without)).first->second;
  }

  /// Runs it with the layer, in an environment where something is wrong.
  void expect_as_without(const Environment& environment) const {
    empty_cache();
    const auto with = run_program(environment, "with");
    EXPECT_EQ(with.exit_code, 0) << with.errors;
    EXPECT_EQ(output_of("with"), run_without().output);
    EXPECT_EQ(count_of(with.errors, "kiln"), count_of(run_without().result.errors, "kiln"))
        << with.errors;
  }

  std::string output_of(const std::string& name) const {
    return value_or_throw(read_text(folder() / name / "output"));
  }
};

TEST_P(Programs, WriteTheSameAndCompileNothingAtTheirLaterStarts) {
  if (is_long()) GTEST_SKIP() << "takes minutes: KILN_LONG=1";
  const Without& without = run_without();
  if (without.result.exit_code == 77) GTEST_SKIP() << without.result.output;
  ASSERT_EQ(without.result.exit_code, 0) << without.result.errors;

  empty_cache();
  const auto cold = run_program(layer(), "cold");
  EXPECT_EQ(cold.exit_code, 0) << cold.errors;
  EXPECT_EQ(output_of("cold"), without.output);

  // Local sizes that the driver chose are known from here on.
  empty_cache();
  forget_report();
  const auto warm = run_program(layer(), "warm");
  EXPECT_EQ(warm.exit_code, 0) << warm.errors;
  EXPECT_EQ(output_of("warm"), without.output);
  EXPECT_GT(count_of(report(), "\n  served\n"), 0u) << report();
  EXPECT_EQ(count_of(report(), "compile      hit"), 0u) << report();
  EXPECT_EQ(count_of(report(), "variant      hit"), 0u) << report();

  // And once more where none of what was kept can be read.
  for (const auto& entry : fs::recursive_directory_iterator(store()))
    if (entry.is_regular_file()) std::ofstream(entry.path()) << "garbage\n";
  expect_as_without(layer());
}

TEST_P(Programs, RunAsWithoutWhileTheHelperDies) {
  if (GetParam() != std::string("pyopencl") && !is_long_run())
    GTEST_SKIP() << "one program is enough: KILN_LONG=1 for the others";
  const Without& without = run_without();
  if (without.result.exit_code == 77) GTEST_SKIP() << without.result.output;
  const fs::path helper = folder() / "helper";
  std::ofstream(helper) << "#!/bin/sh\nkill -9 $$\n";
  fs::permissions(helper, fs::perms::owner_all);
  auto environment = layer();
  environment["KILN_COMPILE_HELPER"] = helper;
  expect_as_without(environment);
}

INSTANTIATE_TEST_SUITE_P(All, Programs,
                         ::testing::Values("pyopencl", "opencv", "ffmpeg", "viennacl_cg",
                                           "viennacl_dense", "clblast", "clpeak", "darktable"),
                         [](const auto& program) { return std::string(program.param); });

}  // namespace
}  // namespace kiln::testing
