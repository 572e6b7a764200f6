// Under a PoCL that no release of Kiln has met (faults/unknown_driver.cpp): all results are right,
// and explanations say which ways were not taken.
#include "cli/run_process.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;

class UnknownDriver : public RunTest {
 protected:
  /// Each test has a copy of a store that has what was found of this driver, and one program.
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's library must be loaded before all others";
#endif
    const std::map<std::string, std::string> driver{{"OPENCL_LAYERS", KILN_UNKNOWN_DRIVER},
                                                    {"LD_PRELOAD", KILN_UNKNOWN_DRIVER}};
    for (const auto& [name, value] : driver) set(name, value);
    static const TemporaryFolder filled = [&] {
      start_compile_server(driver);
      auto made = value_or_throw(TemporaryFolder::create("kiln-filled"));
      const std::string store = (made.path() / "store").string();
      EXPECT_EQ(kiln({"run", "-q", example("vector_add"), "--devices", "cpu", "--store", store})
                    .exit_code,
                0);
      return made;
    }();
    const auto store = folder() / "store";
    std::filesystem::copy(filled.path() / "store", store, std::filesystem::copy_options::recursive);
    set("KILN_STORE", store.string());
    set("POCL_CACHE_DIR", (folder() / "cache").string());
  }
  static std::string example(const std::string& name) {
    return KILN_SOURCE_DIR "/examples/specs/" + name + ".json";
  }
};

TEST_F(UnknownDriver, says_and_does_other_things) {
  const auto devices = kiln({"devices", "--devices", "cpu"});
  EXPECT_THAT(devices.output, HasSubstr("99.0+test")) << devices.errors;
  EXPECT_EQ(kiln({"run", example("saxpy"), "--devices", "cpu"}).exit_code, 0);
  const auto files =
      bash("find cache -name 'program.bc' | wc -l; find cache -name module.bitcode | wc -l");
  EXPECT_EQ(files.output, "0\n1\n") << "the driver's cache is as Kiln knows it";
}

TEST_F(UnknownDriver, gives_right_results_and_is_explained) {
  const std::vector<std::string> run{"run", example("saxpy"), "--devices", "cpu", "--explain"};
  const auto first = kiln(run), second = kiln(run);
  for (const auto* one : {&first, &second}) {
    EXPECT_EQ(one->exit_code, 0) << one->errors;
    EXPECT_THAT(one->output + one->errors, HasSubstr("not taken: archives"));
    EXPECT_THAT(one->output + one->errors, HasSubstr("not taken: stubs"));
  }
  EXPECT_THAT(first.output, HasSubstr("by the helper"));
  EXPECT_THAT(second.output, ::testing::Not(HasSubstr("    compile ")));
}

TEST_F(UnknownDriver, splits_as_every_other) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  for (const char* name : {"saxpy", "histogram_rows"}) {
    const auto result = kiln({"verify", example(name), "--devices", "cpu/2"});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("0 wrong"));
  }
}

TEST_F(UnknownDriver, runs_the_loops_of_meshes) {
  const auto mesh = kiln({"mesh", "reduction"});
  EXPECT_EQ(mesh.exit_code, 0) << mesh.output << mesh.errors;
  EXPECT_THAT(mesh.output, HasSubstr("check passed"));
}

TEST_F(UnknownDriver, that_names_no_target_is_used_as_any_other_vendors) {
  set("KILN_TEST_DRIVER", "nameless");
  set("TEST_DRIVER", "nameless");  // compile servers of the other one do not count
  const std::vector<std::string> run{"run", example("saxpy"), "--devices", "cpu", "--explain"};
  const auto first = kiln(run), second = kiln(run);
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_EQ(second.exit_code, 0) << second.errors;
  EXPECT_THAT(second.output, ::testing::Not(HasSubstr("    compile ")));
}

}  // namespace
}  // namespace kiln::testing
