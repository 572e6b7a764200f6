// Files that a command reads, and those of the store, are never written over, whatever option or
// word names them.
#include "run_process.hpp"

namespace {

using kiln::testing::expect_refusal;
using ::testing::HasSubstr;

class WrittenFiles : public kiln::testing::RunTest {
 protected:
  WrittenFiles() { copy_spec(); }
  std::string text(const std::string& file) const {
    return kiln::value_or_throw(kiln::read_text(folder() / file));
  }
  /// The command is refused, and the file stays as it was.
  void expect_kept(const std::string& file, const std::vector<std::string>& words,
                   const std::string& message) {
    const std::string before = text(file);
    expect_refusal(kiln(words), 2, message);
    EXPECT_EQ(text(file), before) << words[0];
  }
};

TEST_F(WrittenFiles, a_kernels_source_stays) {
  const std::string message = "copy_float.cl is the kernel's source and would be written over";
  expect_kept("copy_float.cl", {"run", "copy_float.json", "--out", "1=copy_float.cl"}, message);
  for (const char* option : {"--trace", "--gantt"})
    expect_kept("copy_float.cl", {"run", "copy_float.json", option, "./copy_float.cl"}, message);
  expect_kept("copy_float.cl",
              {"tune", "copy_float.json", "--param", "X=1,2", "--report", "copy_float.cl"},
              message);
  expect_kept("copy_float.cl", {"poclbin", "export", "copy_float.json", "-o", "copy_float.cl"},
              message);
  // So does what the source includes.
  write("copy_float.cl", "#include \"more.h\"\n" + text("copy_float.cl"));
  write("more.h", "#define MORE 1\n");
  expect_kept("more.h", {"run", "copy_float.json", "--out", "1=more.h"},
              "more.h is the kernel's source");
}

TEST_F(WrittenFiles, what_other_commands_read_stays) {
  expect_kept("copy_float.json", {"poclbin", "export", "copy_float.json", "-o", "copy_float.json"},
              "--output: copy_float.json is also the file of");
  write("k.json", R"({"layout": "v3", "patterns": []})");
  expect_kept("k.json", {"kdb", "build", "k.json", "-o", "k.json"},
              "--output: k.json is also the file of");
  ASSERT_EQ(kiln({"kdb", "build", "k.json", "-o", "k.kdb"}).exit_code, 0);
  expect_kept("k.kdb", {"kdb", "convert", "--to", "v1", "k.kdb", "-o", "./k.kdb"},
              "--output: ./k.kdb is also the file of");
}

TEST_F(WrittenFiles, a_pack_does_not_take_the_place_of_what_its_record_names) {
  ASSERT_EQ(
      kiln({"record", "--calls", "c.jsonl", "--", KILN_COMMAND, "run", "-q", "copy_float.json"})
          .exit_code,
      0);
  expect_kept("copy_float.json", {"prebuild", "--from", "c.jsonl", "--pack", "copy_float.json"},
              "--pack: copy_float.json is a file that the record's calls are made from");
}

TEST_F(WrittenFiles, the_stores_files_stay) {
  set("KILN_STORE", (folder() / "store").string());
  ASSERT_EQ(kiln({"run", "-q", "copy_float.json"}).exit_code, 0);
  expect_kept("store/store.db", {"run", "copy_float.json", "--out", "1=store/store.db"},
              "store/store.db lies in the store's folder");
  EXPECT_EQ(kiln({"store", "verify"}).exit_code, 0);
}

TEST_F(WrittenFiles, a_name_may_be_as_long_as_the_system_allows) {
  const std::string longest(255, 'a');
  EXPECT_EQ(kiln({"run", "-q", "copy_float.json", "--out", "1=" + longest}).exit_code, 0);
  EXPECT_FALSE(text(longest).empty());
  expect_refusal(kiln({"run", "-q", "copy_float.json", "--out", "1=a" + longest}), 2,
                 "File name too long");
}

TEST_F(WrittenFiles, a_name_with_a_line_feed_makes_no_line_of_its_own) {
  expect_refusal(kiln({"run", "a\nkiln: b.json"}), 2, "a\\nkiln: b.json");
  expect_refusal(kiln({"kdb", "info", "a\nb"}), 2, "a\\nb");
  expect_refusal(kiln({"x\ny"}), 2, "x\\ny");
  expect_refusal(kiln({"run", "copy_float.json", "--devices", "~x\ny"}), 2, "x\\ny");
}

}  // namespace
