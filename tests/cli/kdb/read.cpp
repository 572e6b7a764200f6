// The commands that look into a database: info, summary, dump, verify, diff, extract.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/kdb/support.hpp"

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using kiln::testing::expect_refusal;
using Kdb = kiln::testing::KdbTest;
namespace kdb = kiln::kdb;

TEST_F(Kdb, info_says_which_layout_it_found) {
  write_kdb("three.kdb", kdb::complete({}).database);
  write_kdb("one.kdb", with_kernel("the kernel"));
  const auto three = kiln({"kdb", "info", "three.kdb"});
  EXPECT_EQ(three.exit_code, 0) << three.errors;
  EXPECT_THAT(three.output, HasSubstr("v3 (as clBLAS writes it)"));
  EXPECT_THAT(three.output, HasSubstr("12864 (0 tuned)"));
  const auto one = kiln({"kdb", "info", "--json", "one.kdb"});
  const Json json = Json::parse(one.output);
  EXPECT_EQ(json["layout"], "v1");
  EXPECT_EQ(json["tuned"], 1);
  EXPECT_EQ(json["kernels"], 1);
  EXPECT_EQ(json["binary_bytes"], 10);
}

TEST_F(Kdb, a_pipe_is_read_as_a_file) {
  write_kdb("a.kdb", database({tuned(1)}));
  const auto piped = bash("cat a.kdb | $KILN kdb info -");
  EXPECT_EQ(piped.exit_code, 0) << piped.errors;
  EXPECT_THAT(piped.output, HasSubstr("1 (1 tuned)"));
  EXPECT_EQ(bash("$KILN kdb diff a.kdb <(cat a.kdb)").exit_code, 0);
}

TEST_F(Kdb, a_summary_has_a_line_a_pattern) {
  write_kdb("a.kdb", database({tuned(0.5), tuned(2), kdb::Record{}}));
  const auto text = kiln({"kdb", "summary", "a.kdb"});
  EXPECT_THAT(text.output,
              ::testing::ContainsRegex("GEMM +Cached global memory based block gemm +1 "
                                       "+3 +2 +0.5 +2"));
  const Json json = Json::parse(kiln({"kdb", "summary", "--json", "a.kdb"}).output);
  EXPECT_EQ(json["function"], "GEMM");
  EXPECT_EQ(json["slowest_ms"], 2);
}

TEST_F(Kdb, a_dump_shows_records_and_can_leave_out_untuned_ones) {
  write_kdb("a.kdb", database({tuned(0.5), kdb::Record{}, kdb::Record{}}));
  const auto all = kiln({"kdb", "dump", "a.kdb"});
  EXPECT_THAT(all.output, HasSubstr("  float COLUMN_MAJOR\n    0: 0.5 ms; 16 x 64 x 2"));
  EXPECT_THAT(all.output, HasSubstr("    1-2: untuned\n"));
  EXPECT_THAT(kiln({"kdb", "dump", "--tuned", "a.kdb"}).output, Not(HasSubstr("untuned")));
}

TEST_F(Kdb, verify_names_what_would_go_wrong) {
  kdb::Database whole = kdb::complete(database({tuned(1)}), kdb::Doubles::yes).database;
  write_kdb("good.kdb", whole);
  const auto good = kiln({"kdb", "verify", "good.kdb"});
  EXPECT_EQ(good.exit_code, 0) << good.errors;
  EXPECT_EQ(good.output, "good.kdb: ok; safe for clBLAS 2.12\n");
  EXPECT_EQ(good.errors, "");

  kdb::Record bad = tuned(1);
  bad.levels[1].x = bad.levels[1].item_x = 3;
  write_kdb("bad.kdb", kdb::complete(database({bad}), kdb::Doubles::yes).database);
  const auto found = kiln({"kdb", "verify", "bad.kdb"});
  EXPECT_EQ(found.exit_code, 2);
  EXPECT_EQ(found.output, "bad.kdb: 1 error\n");
  EXPECT_EQ(
      found.errors,
      "kiln: bad.kdb: byte 514433, Cached global memory based block gemm, float COLUMN_MAJOR, "
      "record 0: x 16 of level 0 is not a multiple of itemX 3 of level 1 [divides]\n");
  const Json json = Json::parse(kiln({"kdb", "verify", "--json", "bad.kdb"}).output);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["findings"][0]["rule"], "divides");
  EXPECT_EQ(json["findings"][0]["offset"], 514433);
}

TEST_F(Kdb, verify_warns_without_failing) {
  write_kdb("a.kdb", kdb::complete(database({{}, tuned(1)}), kdb::Doubles::yes).database);
  const auto result = kiln({"kdb", "verify", "a.kdb"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.errors, HasSubstr("kiln: warning: a.kdb: byte 514569"));
  EXPECT_EQ(result.output, "a.kdb: ok, 1 warning; safe for clBLAS 2.12\n");
  EXPECT_EQ(kiln({"kdb", "verify", "-q", "a.kdb"}).errors, "");
}

TEST_F(Kdb, verify_lists_all_wrong_sums_at_once) {
  write_kdb("a.kdb", kdb::complete({}).database);
  std::string text = read("a.kdb");
  text[100] = text[300] = 1;
  write("a.kdb", text);
  const auto result = kiln({"kdb", "verify", "a.kdb"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "a.kdb: 2 errors\n");
  EXPECT_THAT(result.errors, HasSubstr("[sum]"));
}

TEST_F(Kdb, verify_shows_what_it_found_before_a_file_became_unreadable) {
  kdb::Database made = database({tuned(1)});
  made.patterns[0].settings.push_back({0, 0, {tuned(2)}});
  write_kdb("cut.kdb", made);
  std::string text = read("cut.kdb");
  char& byte = text[text.size() - 278];  // of the first setting's record
  byte = static_cast<char>(byte ^ 1);
  write("cut.kdb", text.substr(0, text.size() - 1));
  const auto result = kiln({"kdb", "verify", "cut.kdb"});
  EXPECT_EQ(result.exit_code, 2) << result.errors;
  EXPECT_EQ(result.output, "cut.kdb: unreadable\n");
  EXPECT_THAT(result.errors, HasSubstr(", pattern 0, setting 0, record 0: the CRC is "));
  const Json json = Json::parse(kiln({"kdb", "verify", "--json", "cut.kdb"}).output);
  EXPECT_EQ(json["ok"], false);
  EXPECT_FALSE(json.contains("layout"));
  EXPECT_EQ(json["findings"][0]["place"], "pattern 0, setting 0, record 0");
}

TEST_F(Kdb, verify_takes_the_work_groups_that_the_original_writes) {
  kdb::Record record = tuned(1);
  record.levels[0] = {32, 16, 32, 16, 2};
  record.levels[1] = {2, 2, 2, 2, 2};
  record.granularity.work_group = {16, 8};
  write_kdb("a.kdb", kdb::complete(database({record}), kdb::Doubles::yes).database);
  const auto result = kiln({"kdb", "verify", "a.kdb"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("safe for clBLAS 2.12"));
}

TEST_F(Kdb, verify_asks_the_device) {
  write_kdb("a.kdb", kdb::complete(database({tuned(1)}), kdb::Doubles::yes).database);
  const auto devices = kiln({"devices", "--devices", "cpu", "--json"});
  if (devices.exit_code != 0) GTEST_SKIP() << "no CPU device here";
  EXPECT_EQ(kiln({"kdb", "verify", "--device", "cpu", "a.kdb"}).exit_code, 0);
  kdb::Record wide = tuned(1);
  wide.levels[0] = {1024, 1024, 1024, 1024, 2};
  wide.levels[1] = {2, 8, 2, 8, 2};
  wide.granularity.work_group = {128, 512};
  wide.granularity.max_work_group = 65536;
  write_kdb("wide.kdb", kdb::complete(database({wide}), kdb::Doubles::yes).database);
  EXPECT_EQ(kiln({"kdb", "verify", "wide.kdb"}).exit_code, 0);
  const auto result = kiln({"kdb", "verify", "--device", "cpu", "wide.kdb"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("[device-limit]"));
}

TEST_F(Kdb, a_difference_gives_exit_code_1) {
  write_kdb("a.kdb", database({tuned(1), kdb::Record{}}));
  write_kdb("b.kdb", database({tuned(2), kdb::Record{}}));
  const auto same = kiln({"kdb", "diff", "a.kdb", "a.kdb"});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.output, "");
  const auto other = kiln({"kdb", "diff", "a.kdb", "b.kdb"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.output, HasSubstr("float COLUMN_MAJOR, record 0\n- 1 ms; 16"));
  EXPECT_THAT(other.output, HasSubstr("\n+ 2 ms; 16"));
  EXPECT_EQ(kiln({"kdb", "diff", "-q", "a.kdb", "b.kdb"}).output, "");
  const Json json = Json::parse(kiln({"kdb", "diff", "--json", "a.kdb", "b.kdb"}).output);
  EXPECT_THAT(json["place"].get<std::string>(), HasSubstr("record 0"));
}

TEST_F(Kdb, kernels_are_extracted_below_the_folder) {
  kdb::Database made = with_kernel("the kernel");
  made.patterns[0].name = "../../evil\\name";
  value_or_throw(kdb::place_kernels(made, {{0, 0, 0, 2, kiln::as_bytes("the kernel")}}));
  write_kdb("a.kdb", made);
  const auto result = kiln({"kdb", "extract", "a.kdb", "-C", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "00-______evil_name/000-float_COLUMN_MAJOR/0-2.bin 10\n");
  EXPECT_EQ(read("out/00-______evil_name/000-float_COLUMN_MAJOR/0-2.bin"), "the kernel");
  write_kdb("none.kdb", database({}));
  EXPECT_EQ(kiln({"kdb", "extract", "none.kdb"}).output, "none.kdb holds no kernel binaries\n");
}

TEST_F(Kdb, a_link_in_the_folder_is_not_followed) {
  write_kdb("a.kdb", with_kernel("the kernel"));
  std::filesystem::create_directories(folder() / "out");
  std::filesystem::create_directory(folder() / "elsewhere");
  std::filesystem::create_directory_symlink(
      folder() / "elsewhere", folder() / "out/00-Cached_global_memory_based_block_gemm");
  expect_refusal(kiln({"kdb", "extract", "a.kdb", "-C", "out"}), 1, "a link or a file");
  EXPECT_TRUE(std::filesystem::is_empty(folder() / "elsewhere"));
}

TEST_F(Kdb, files_that_are_no_databases_are_refused_in_one_line) {
  write("empty.kdb", "");
  write("text.kdb", "this is not a database at all");
  write_kdb("a.kdb", database({tuned(1)}));
  write("cut.kdb", read("a.kdb").substr(0, 150));
  std::filesystem::create_directory(folder() / "folder");
  write("sparse.kdb", "");
  std::filesystem::resize_file(folder() / "sparse.kdb", std::uintmax_t{5} << 30);
  for (const std::string command : {"info", "summary", "dump", "extract"}) {
    expect_refusal(kiln({"kdb", command, "empty.kdb"}), 2, "empty.kdb: kernel database, byte 0");
    expect_refusal(kiln({"kdb", command, "text.kdb"}), 2, "expected 'CBS'");
    expect_refusal(kiln({"kdb", command, "cut.kdb"}), 2, "cut.kdb: kernel database, byte");
    expect_refusal(kiln({"kdb", command, "folder"}), 2, "folder");
    expect_refusal(kiln({"kdb", command, "absent.kdb"}), 2, "No such file");
    expect_refusal(kiln({"kdb", command, "/dev/zero"}), 2, "not a regular file");
    expect_refusal(kiln({"kdb", command, "sparse.kdb"}), 2, "5368709120 bytes");
  }
  expect_refusal(kiln({"kdb", "diff", "a.kdb", "cut.kdb"}), 2, "cut.kdb");
  const auto verified = kiln({"kdb", "verify", "cut.kdb"});
  EXPECT_EQ(verified.exit_code, 2);
  EXPECT_EQ(verified.output, "cut.kdb: unreadable\n");
}

TEST_F(Kdb, a_file_without_permission_is_refused_in_one_line) {
  write_kdb("a.kdb", database({tuned(1)}));
  std::filesystem::permissions(folder() / "a.kdb", std::filesystem::perms::none);
  // Root may read everything, so that it has to be another user there.
  const bool may = static_cast<bool>(std::ifstream(folder() / "a.kdb"));
  if (may && find_program("setpriv").empty()) GTEST_SKIP() << "this user may read everything";
  const std::string other = may ? "setpriv --bounding-set=-all --inh-caps=-all " : "";
  expect_refusal(bash(other + "$KILN kdb info a.kdb"), 1, "Permission denied");
}

}  // namespace
