#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "format/kdb/samples.hpp"

namespace kiln::kdb::testing {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view json) {
  const auto database = from_json(json);
  EXPECT_FALSE(database) << json;
  return database ? "" : database.error().message();
}

/// A database of one record, with `record` in its place.
std::string around(const std::string& record, const std::string& layout = "v3") {
  return R"({"layout": ")" + layout + R"(", "patterns": [{"name": "p", "settings": [)" +
         R"({"type": "float", "flags": [], "records": [)" + record + "]}]}]}";
}
constexpr const char* good_json =
    R"({"levels": [{"x": 1, "y": 2, "bwidth": 3, "itemX": 4, "itemY": "unused"},
                   {"x": 6, "y": 7, "bwidth": 8, "itemX": 9, "itemY": 10}],
        "wgSize": [8, 8], "wgDim": 2, "wfSize": 64, "maxWorkGroupSize": 256, "time": 1.5})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(KdbJson, a_dump_builds_the_same_file) {
  for (const Layout layout : {Layout::v3, Layout::v1, Layout::v1_wide}) {
    const Database database = small(layout);
    const auto read = from_json(to_json(database));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(bytes_of(*read) == bytes_of(database)) << name_of(layout);
  }
}

TEST(KdbJson, odd_names_and_times_come_back) {
  Database database = small(Layout::v1);
  database.patterns[0].name = "with \"quotes\", \\ and \x01";
  database.patterns[1].name = "not UTF-8: \xff";
  auto& records = database.patterns[0].settings[0].records;
  ASSERT_TRUE(place_kernels(database, {}));
  for (const std::uint64_t bits : std::initializer_list<std::uint64_t>{
           0x7ff8000000000001u, 0xfff0000000000000u, 0x8000000000000000u, 0x0000000000000001u,
           0x7fefffffffffffffu}) {
    records[0].time = std::bit_cast<double>(bits);
    const auto read = from_json(to_json(database));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(bytes_of(*read) == bytes_of(database)) << std::hex << bits;
  }
}

TEST(KdbJson, a_record_written_by_hand_is_read) {
  const auto database = from_json(around(good_json));
  ASSERT_TRUE(database) << database.error().message();
  const Record& record = database->patterns[0].settings[0].records[0];
  EXPECT_EQ(record.levels[0], (Dimensions{1, 2, 4, unused_v3, 3}));
  EXPECT_EQ(record.levels[1], (Dimensions{6, 7, 9, 10, 8}));
  EXPECT_EQ(record.granularity.max_work_group, 256u);
  EXPECT_EQ(record.time, 1.5);
  EXPECT_EQ(database->functions, 50u);
}

TEST(KdbJson, kernels_can_stand_in_their_record) {
  std::string record =
      replaced(good_json, R"("maxWorkGroupSize": 256, )", R"("kernels": ["6b31", "", "6b33"], )");
  const auto database = from_json(around(record + ", \"untuned\", " + record, "v1"));
  ASSERT_TRUE(database) << database.error().message();
  const Bytes bytes = bytes_of(*database);
  const auto read = parse(bytes);
  ASSERT_TRUE(read);
  const auto slots = kernels(*read);
  ASSERT_EQ(slots.size(), 4u);
  EXPECT_EQ(as_text(slots[0].content), "k1");
  EXPECT_EQ(as_text(slots[3].content), "k3");
  EXPECT_THAT(refusal(around(replaced(good_json, "\"time\"", R"("kernels": ["6b31"], "time")"))),
              HasSubstr("version 3 holds no kernel binaries"));
}

TEST(KdbJson, errors_name_the_path) {
  EXPECT_THAT(refusal("{"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("4e900"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("database: expected an object"));
  EXPECT_THAT(refusal(R"({"layout": "v2", "patterns": []})"), HasSubstr("database.layout"));
  EXPECT_THAT(refusal(R"({"layout": "v3"})"), HasSubstr("database.patterns: missing"));
  EXPECT_THAT(refusal(R"({"layout": "v3", "pattern": []})"),
              HasSubstr("database.pattern: unknown"));
  EXPECT_THAT(refusal(around("7")),
              HasSubstr("patterns[0].settings[0].records[0]: expected an object"));
  EXPECT_THAT(refusal(around(replaced(good_json, "\"x\": 6", "\"x\": -6"))),
              HasSubstr("records[0].levels[1].x: found -6, expected an integer"));
  EXPECT_THAT(refusal(around(replaced(good_json, "\"wgDim\": 2, ", ""))),
              HasSubstr("wgDim: missing"));
  EXPECT_THAT(refusal(around(replaced(good_json, "[8, 8]", "[8]"))),
              HasSubstr("wgSize: expected an array of 2"));
  EXPECT_THAT(refusal(around(replaced(good_json, "1.5", "\"fast\""))), HasSubstr("time: expected"));
  EXPECT_THAT(refusal(replaced(around(good_json), "\"flags\": []", "\"flags\": [\"TRANS\"]")),
              HasSubstr("settings[0].flags[0]: \"TRANS\" is not a flag"));
  EXPECT_THAT(refusal(replaced(around(good_json), "\"float\"", "\"half\"")),
              HasSubstr("is not a data type"));
}

TEST(KdbJson, values_that_make_no_file_are_refused) {
  EXPECT_THAT(refusal(around(replaced(good_json, "\"x\": 6", "\"x\": 4294967296"))),
              HasSubstr("a size above 2^32-1"));
  EXPECT_THAT(refusal(around(
                  replaced(good_json, "\"maxWorkGroupSize\": 256", "\"sizes\": [5, 0, 0]"), "v1")),
              HasSubstr("these values make no file"));
}

TEST(KdbNames, flags_have_the_names_of_their_version) {
  EXPECT_THAT(flag_names(0x80 | 0x40000000, Layout::v3),
              ::testing::ElementsAre("UNIT_DIAGONAL", "0x40000000"));
  EXPECT_THAT(flag_names(0x80 | 0x100, Layout::v1),
              ::testing::ElementsAre("SEPARATE_TAILS", "0x100"));
  for (const Layout layout : {Layout::v3, Layout::v1})
    for (std::uint32_t bit = 1; bit != 0; bit <<= 1)
      EXPECT_EQ(flag_named(flag_names(bit, layout).at(0), layout), bit);
  EXPECT_FALSE(flag_named("0x", Layout::v3));
  EXPECT_FALSE(flag_named("0x1g", Layout::v3));
  EXPECT_FALSE(flag_named("SEPARATE_TAILS", Layout::v3));
}

TEST(KdbNames, types_functions_and_layouts_have_names) {
  EXPECT_EQ(type_name(3), "complex_double");
  EXPECT_FALSE(type_name(5));
  EXPECT_EQ(type_named("double"), 1u);
  EXPECT_EQ(function_of(block_trsm), "TRSM");
  EXPECT_FALSE(function_of("Register accumulation based swap"));
  EXPECT_EQ(layout_named("v1-wide"), Layout::v1_wide);
  EXPECT_FALSE(layout_named("v2"));
}

TEST(KdbText, equal_lines_are_drawn_together_and_untuned_ones_can_be_left_out) {
  const Database database = small(Layout::v3);
  EXPECT_EQ(to_text(database, Shown::only_tuned),
            R"(layout v3, 50 functions, binary data start 0, 0 binary bytes
Cached global memory based block gemm [GEMM]
  float COLUMN_MAJOR
    0: 1.1151289999999998 ms; 16 x 64 x 2, items 16 x 64; 2 x 8 x 2, items 2 x 8; work-group 8 x 8 in 2, wavefront 64, at most 4096
    2: 0.5 ms; 16 x 64 x 2, items 16 x 64; 2 x 8 x 2, items 2 x 8; 1 x 2 x 5, items 3 x 4; work-group 8 x 8 in 2, wavefront 64, at most 4096, spawned 3 4; kernel sizes 69211 0 0; duplicate sizes 69211 7 0
A pattern of tomorrow [unknown]
  type 7 UNIT_DIAGONAL+0x40000000
    0: 1.1151289999999998 ms; 16 x 64 x 2, items 16 x 64; 2 x 8 x 2, items 2 x 8; work-group 8 x 8 in 2, wavefront 64, at most 4096
)");
  EXPECT_THAT(to_text(complete({}).database), HasSubstr("  float\n    0-5: untuned\n"));
}

TEST(KdbText, control_bytes_of_a_name_do_not_reach_the_reader) {
  Database database{.patterns = {{.name = "a\x1b[2Jb"}, {.name = ""}}};
  EXPECT_EQ(describe(database, {0, 0, -1, -1}), "a?[2Jb");
  EXPECT_EQ(describe(database, {0, 1, -1, -1}), "(no name)");
  EXPECT_EQ(to_text(database).find('\x1b'), std::string::npos);
}

TEST(KdbText, a_summary_counts) {
  const Database database = small(Layout::v1);
  const auto summary = summarize(database);
  ASSERT_EQ(summary.size(), 2u);
  EXPECT_EQ(summary[0].function, "GEMM");
  EXPECT_EQ(summary[0].settings, 2u);
  EXPECT_EQ(summary[0].records, 4u);
  EXPECT_EQ(summary[0].tuned, 2u);
  EXPECT_EQ(summary[0].kernels, 3u);
  EXPECT_EQ(summary[0].fastest, 0.5);
  EXPECT_GT(summary[0].slowest, 1.1);
  EXPECT_EQ(summary[1].function, "");
}

}  // namespace
}  // namespace kiln::kdb::testing
