// `kiln poclbin build`, `export` and `import`, with PoCL.
#include "cli/run_process.hpp"

namespace {

namespace fs = std::filesystem;
using kiln::testing::expect_refusal;
using kiln::testing::json_lines;
using ::testing::HasSubstr;

class PoclbinBuild : public kiln::testing::RunTest {
 protected:
  PoclbinBuild() {
    copy_spec();
    set("KILN_STORE", fresh_store("store"));
  }
  kiln::ProcessResult build(std::vector<std::string> more) {
    std::vector<std::string> words{"poclbin", "build", "copy_float.cl", "-o", "copy.poclbin"};
    words.insert(words.end(), more.begin(), more.end());
    return kiln(words);
  }
};

TEST_F(PoclbinBuild, makes_an_archive_of_several_sizes_and_proves_that_it_starts) {
  const auto result = build({"--local-size", "64", "--local-size", "8x8", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const auto json = json_lines(result.output).at(0);
  EXPECT_EQ(json["starts_without_compiler"], true);
  EXPECT_EQ(json["bytes"], fs::file_size(folder() / "copy.poclbin"));
  std::vector<std::string> variants;
  for (const auto& start : json["starts"]) {
    variants.push_back(start["variant"]);
    EXPECT_EQ(start["outcome"], "ran") << start;
    EXPECT_EQ(start["compiler_needed"], false) << start;
  }
  EXPECT_THAT(variants,
              ::testing::UnorderedElementsAre("64-1-1-goffs0-smallgrid", "8-8-1-goffs0-smallgrid",
                                              "1-1-1-goffs0-smallgrid"));
  EXPECT_EQ(kiln({"poclbin", "verify", "copy.poclbin"}).exit_code, 0);
  EXPECT_EQ(kiln({"poclbin", "check-device", "copy.poclbin", "--devices", "cpu"}).exit_code, 0);
}

TEST_F(PoclbinBuild, says_for_people_what_was_proven) {
  const auto result = build({"--local-size", "64"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("1 variant in 1 kernel for "));
  EXPECT_THAT(result.output, HasSubstr("copy_float 64-1-1-goffs0-smallgrid: no compiler; the "));
  EXPECT_THAT(result.output, HasSubstr("(the generic function): no compiler"));
}

TEST_F(PoclbinBuild, macros_and_include_folders_reach_the_source) {
  write("inc/value.h", "#define VALUE WANTED\n");
  write("needs.cl",
        "#include \"value.h\"\n#if VALUE != 3 || ONE != 1\n#error macros\n#endif\n"
        "kernel void needs(global int* out) { out[get_global_id(0)] = VALUE; }\n");
  const auto result = kiln({"poclbin", "build", "needs.cl", "-DWANTED=3", "-D", "ONE", "-I", "inc",
                            "--local-size", "16", "-o", "needs.poclbin"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST_F(PoclbinBuild, intermediates_are_kept_in_a_new_folder_only) {
  EXPECT_EQ(build({"--local-size", "64", "--keep-intermediates", "kept"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder() / "kept/job"));
  expect_refusal(build({"--local-size", "64", "--keep-intermediates", "kept"}), 2,
                 "kept exists already");
}

TEST_F(PoclbinBuild, what_cannot_be_built_is_one_line_and_no_file) {
  expect_refusal(build({}), 2, "no local size is given");
  for (const char* size : {"", "0", "64x", "x64", "1x1x1x1", "-1", "64 ", "4294967296"})
    expect_refusal(build({"--local-size", size}), 2, "--local-size");
  expect_refusal(build({"--local-size", "64", "--kernel", "other"}), 2, "no kernel 'other'");
  expect_refusal(build({"--local-size", "1048576"}), 2, "work-items");
  expect_refusal(kiln({"poclbin", "build", "absent.cl", "--local-size", "1", "-o", "x"}), 2,
                 "cannot open absent.cl");
  write("broken.cl", "kernel void broken(global int* a) {\n  a[0] = nonsense;\n}\n");
  const auto broken = kiln({"poclbin", "build", "broken.cl", "--local-size", "1", "-o", "x"});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.errors, HasSubstr("broken.cl:2:"));
  EXPECT_FALSE(fs::exists(folder() / "x"));
  EXPECT_FALSE(fs::exists(folder() / "copy.poclbin"));
}

TEST_F(PoclbinBuild, an_archive_goes_out_of_one_store_and_into_another) {
  const std::vector<std::string> run{"run", "-q", "copy_float.json", "--devices", "cpu"};
  expect_refusal(kiln({"poclbin", "export", "copy_float.json", "-o", "out.poclbin"}), 2,
                 "the store has no archive of copy_float");
  ASSERT_EQ(kiln(run).exit_code, 0);
  ASSERT_EQ(kiln({"poclbin", "export", "copy_float.json", "-o", "out.poclbin"}).exit_code, 0);

  set("KILN_STORE", (folder() / "other").string());
  const auto imported = kiln({"poclbin", "import", "copy_float.json", "out.poclbin"});
  ASSERT_EQ(imported.exit_code, 0) << imported.errors;
  EXPECT_THAT(imported.output, HasSubstr("1 kernel, 1 variant in the store under build hash "));
  set("POCL_CACHE_DIR", (folder() / "pocl").string());
  const auto explained = kiln({"run", "--explain", "copy_float.json", "--devices", "cpu"});
  EXPECT_EQ(explained.exit_code, 0) << explained.errors;
  EXPECT_THAT(explained.output, HasSubstr("local store  hit"));
  EXPECT_THAT(explained.output, Not(HasSubstr("compile  ")));
}

TEST_F(PoclbinBuild, an_archive_of_another_program_is_not_imported) {
  spec("other",
       "kernel void other(global const float* a, global float* b) {"
       " b[get_global_id(0)] = a[get_global_id(0)]; }");
  ASSERT_EQ(build({"--local-size", "64"}).exit_code, 0);
  expect_refusal(kiln({"poclbin", "import", "other.json", "copy.poclbin"}), 1,
                 "copy.poclbin: it has no kernel 'other'");
  expect_refusal(kiln({"poclbin", "import", "other.json", "other.cl"}), 2, "other.cl");
}

}  // namespace
