// The commands that make a database: build, merge, convert.
#include "cli/kdb/support.hpp"

namespace {

using kiln::testing::expect_refusal;
using ::testing::HasSubstr;
using KdbWrite = kiln::testing::KdbTest;
namespace kdb = kiln::kdb;

TEST_F(KdbWrite, a_dump_as_json_builds_the_same_file) {
  write_kdb("three.kdb", kdb::complete(database({tuned(1)})).database);
  write_kdb("one.kdb", with_kernel("the kernel"));
  for (const std::string name : {"three", "one"}) {
    const auto result = bash("set -o pipefail; $KILN kdb dump --json " + name +
                             ".kdb | $KILN kdb build - -o again.kdb");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(read("again.kdb") == read(name + ".kdb")) << name;
  }
}

TEST_F(KdbWrite, a_few_records_by_hand_make_a_file_that_clblas_takes) {
  write("mine.json", R"({"layout": "v3", "patterns": [{"name": ")" + std::string(pattern) + R"(",
    "settings": [{"type": "float", "flags": ["COLUMN_MAJOR"], "records": [
      {"levels": [{"x": 16, "y": 64, "bwidth": 2, "itemX": 16, "itemY": 64},
                  {"x": 2, "y": 8, "bwidth": 2, "itemX": 2, "itemY": 8}],
       "wgSize": [8, 8], "wgDim": 2, "wfSize": 64, "maxWorkGroupSize": 256, "time": 0.25}]}]}]})");
  const auto built =
      kiln({"kdb", "build", "mine.json", "--complete", "--double=yes", "-o", "a.kdb"});
  EXPECT_EQ(built.exit_code, 0) << built.errors;
  EXPECT_EQ(read("a.kdb").size(), 1'784'652u);
  EXPECT_EQ(kiln({"kdb", "verify", "a.kdb"}).exit_code, 0);
}

TEST_F(KdbWrite, errors_in_json_name_file_and_path) {
  write("bad.json", R"({"layout": "v3", "patterns": [{"name": "p", "settings": [{"type": 1}]}]})");
  expect_refusal(kiln({"kdb", "build", "bad.json", "-o", "a.kdb"}), 2,
                 "bad.json: patterns[0].settings[0].flags: missing");
  write("broken.json", "{");
  expect_refusal(kiln({"kdb", "build", "broken.json", "-o", "a.kdb"}), 2, "broken.json: byte 2");
  EXPECT_FALSE(std::filesystem::exists(folder() / "a.kdb"));
}

TEST_F(KdbWrite, merging_takes_the_faster_and_names_conflicts) {
  write_kdb("a.kdb", database({tuned(2), kdb::Record{}}));
  write_kdb("b.kdb", database({tuned(1), tuned(3)}));
  const auto result = kiln({"kdb", "merge", "a.kdb", "b.kdb", "-o", "c.kdb"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("kiln: note: Cached global memory based block gemm, float "
                                       "COLUMN_MAJOR, record 0: file 1 has '2 ms"));
  EXPECT_EQ(parsed("c.kdb"), database({tuned(1), tuned(3)}));
  kiln({"kdb", "merge", "--prefer", "first", "a.kdb", "b.kdb", "-o", "c.kdb"});
  EXPECT_EQ(parsed("c.kdb"), database({tuned(2), tuned(3)}));
}

TEST_F(KdbWrite, a_merge_may_write_over_its_input) {
  write_kdb("a.kdb", database({kdb::Record{}}));
  write_kdb("b.kdb", database({tuned(1)}));
  EXPECT_EQ(kiln({"kdb", "merge", "a.kdb", "b.kdb", "-o", "a.kdb"}).exit_code, 0);
  EXPECT_EQ(parsed("a.kdb"), database({tuned(1)}));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(KdbWrite, a_damaged_file_is_repaired_on_demand) {
  const auto whole = kdb::complete(database({tuned(1)}), kdb::Doubles::yes).database;
  write_kdb("good.kdb", whole);
  std::string text = read("good.kdb");
  text[120] = 'x';
  text[2] = 'x';
  write("broken.kdb", text);
  expect_refusal(kiln({"kdb", "merge", "broken.kdb", "-o", "c.kdb"}), 2, "broken.kdb");
  const auto result = kiln({"kdb", "merge", "--repair", "broken.kdb", "-o", "c.kdb"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("12863 records saved, 1 now untuned"));
  EXPECT_EQ(parsed("c.kdb"), whole);  // the record that was hit was untuned before
  write("text.kdb", "nothing");
  expect_refusal(kiln({"kdb", "merge", "--repair", "text.kdb", "-o", "c.kdb"}), 2,
                 "no record can be saved");
}

TEST_F(KdbWrite, conversion_says_what_it_loses) {
  write_kdb("one.kdb", with_kernel("the kernel"));
  const auto result = kiln({"kdb", "convert", "--to", "v3", "one.kdb", "-o", "c.kdb"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("kiln: lost: kernel binaries: 1 of 10 bytes"));
  EXPECT_EQ(kiln({"kdb", "verify", "c.kdb"}).exit_code, 0);
  const auto back = kiln({"kdb", "convert", "--to", "v1-wide", "c.kdb", "-o", "d.kdb"});
  EXPECT_THAT(back.errors, HasSubstr("UNIT_DIAGONAL"));
  EXPECT_EQ(parsed("d.kdb").layout, kdb::Layout::v1_wide);
}

TEST_F(KdbWrite, output_and_layout_have_to_be_named) {
  write_kdb("a.kdb", database({tuned(1)}));
  expect_refusal(kiln({"kdb", "merge", "a.kdb"}), 2, "missing --output");
  expect_refusal(kiln({"kdb", "convert", "a.kdb", "-o", "c.kdb"}), 2, "missing --to");
  expect_refusal(kiln({"kdb", "convert", "--to", "v2", "a.kdb", "-o", "c.kdb"}), 2, "v1-wide");
  expect_refusal(kiln({"kdb", "build"}), 2, "FILE.json");
  expect_refusal(kiln({"kdb"}), 2, "expected one of info, summary, dump");
}

TEST_F(KdbWrite, help_lists_the_verbs) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"kdb", "--help"}, {"help", "kdb"}}) {
    const auto result = kiln(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("kiln kdb VERB"));
    EXPECT_THAT(result.output, HasSubstr("kdb convert"));
  }
  EXPECT_THAT(kiln({"kdb", "merge", "--help"}).output, HasSubstr("--prefer WHICH"));
}

TEST_F(KdbWrite, nothing_half_written_is_left) {
  write_kdb("a.kdb", kdb::complete({}).database);
  expect_refusal(kiln({"kdb", "merge", "a.kdb", "-o", "/dev/full"}), 1, "No space left on device");
  expect_refusal(kiln({"kdb", "merge", "a.kdb", "-o", "absent/c.kdb"}), 2, "absent/c.kdb");
  std::filesystem::create_directory(folder() / "folder");
  expect_refusal(kiln({"kdb", "merge", "a.kdb", "-o", "folder"}), 2, "folder");
  write("c.kdb", "before");
  // A limit on file sizes takes the place of a disk that fills up in the middle.
  const auto full = bash("trap '' XFSZ; ulimit -f 100; $KILN kdb merge a.kdb -o c.kdb");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.errors, HasSubstr("File too large"));
  EXPECT_EQ(read("c.kdb"), "before");
  EXPECT_EQ(entries(), 3u);
}

}  // namespace
