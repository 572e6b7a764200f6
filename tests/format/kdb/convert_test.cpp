#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/kdb/samples.hpp"

namespace kiln::kdb::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Database one(Layout layout, std::uint32_t flags, const Record& record) {
  Database database{.layout = layout};
  database.patterns = {{.name = block_gemm, .settings = {{2, flags, {record}}}}};
  return database;
}
const Record& only(const Database& database) {
  return database.patterns.at(0).settings.at(0).records.at(0);
}

TEST(KdbConvert, what_both_versions_say_survives_the_way_there_and_back) {
  Record record = tuned_block();
  record.granularity.max_work_group = 64;  // what comes back: the group's own size
  const Database database = one(Layout::v3, 0x13, record);
  const auto there = convert(database, Layout::v1);
  ASSERT_TRUE(there);
  EXPECT_THAT(there->losses, ElementsAre("records whose maxWorkGroupSize is dropped: 1"));
  EXPECT_EQ(only(there->database).levels[0].item_y, unused_v1);
  const auto back = convert(there->database, Layout::v3);
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->database == database);
}

TEST(KdbConvert, a_conversion_to_the_same_layout_loses_nothing) {
  const auto same = convert(small(Layout::v1), Layout::v1);
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->database == small(Layout::v1));
  EXPECT_THAT(same->losses, IsEmpty());
}

TEST(KdbConvert, a_flag_that_means_another_thing_is_not_carried_over) {
  for (const auto& [from, to] : {std::pair{Layout::v3, Layout::v1}, {Layout::v1, Layout::v3}}) {
    Record record = tuned_block_2d();
    if (from == Layout::v1) record.granularity.max_work_group = 0;
    const auto converted = convert(one(from, 0x90, record), to);
    ASSERT_TRUE(converted);
    EXPECT_THAT(converted->database.patterns[0].settings, IsEmpty());
    EXPECT_THAT(converted->losses,
                Contains(HasSubstr("1 settings (1 tuned records) with the flag")));
  }
}

TEST(KdbConvert, fields_of_version_3_that_version_1_has_not_are_counted) {
  Record record = tuned_block_2d();
  record.granularity.spawned = {1, 2};
  record.duplicate = {1, 0, 0};
  record.sizes = {5, 0, 0};
  record.levels[0].item_x = 20000;
  Database database = one(Layout::v3, 0, record);
  database.binary_start = 23;
  const auto converted = convert(database, Layout::v1);
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->losses.size(), 6u);
  EXPECT_EQ(only(converted->database).levels[0].item_x, unused_v1);
  EXPECT_EQ(only(converted->database).sizes[0], 0u);
}

TEST(KdbConvert, kernels_are_lost_in_version_3_and_kept_between_the_readings) {
  const Database database = small(Layout::v1);
  const auto real = convert(database, Layout::v3);
  ASSERT_TRUE(real);
  EXPECT_THAT(real->losses,
              Contains("kernel binaries: 3 of 18 bytes, which version 3 does not hold"));
  const auto wide = convert(database, Layout::v1_wide);
  ASSERT_TRUE(wide);
  EXPECT_THAT(wide->losses, IsEmpty());
  EXPECT_EQ(as_text(kernel(wide->database, wide->database.patterns[0].settings[0].records[2], 1)),
            "another");
}

TEST(KdbConvert, sizes_that_version_3_cannot_say_leave_the_record_untuned) {
  for (const std::uint64_t size : {std::uint64_t{1} << 32, unused_v1}) {
    Record record = tuned_block_2d();
    record.levels[0].x = size;
    const auto converted = convert(one(Layout::v1, 0, record), Layout::v3);
    ASSERT_TRUE(converted);
    EXPECT_EQ(only(converted->database), Record{});
    EXPECT_THAT(converted->losses, Contains(HasSubstr("record 0: becomes untuned")));
  }
  Record record = tuned_block_2d();
  record.levels[0].item_x = 10001;
  const auto converted = convert(one(Layout::v1, 0, record), Layout::v3);
  EXPECT_THAT(converted->losses, Contains(HasSubstr("reads as unused")));
}

TEST(KdbConvert, unknown_patterns_and_types_are_kept) {
  const auto converted = convert(small(Layout::v3), Layout::v1);
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->database.patterns[1].name, "A pattern of tomorrow");
}

TEST(KdbComplete, what_is_missing_is_untuned_and_in_order) {
  Database database;
  database.patterns = {{.name = "A pattern of tomorrow", .settings = {{9, 9, {Record{}}}}},
                       {.name = block_gemm, .settings = {{1, 0x10, {tuned_block_2d()}}}}};
  auto completed = complete(database);
  EXPECT_THAT(completed.losses, IsEmpty());
  EXPECT_EQ(completed.database.patterns.size(), 19u);
  EXPECT_EQ(completed.database.patterns.back().name, "A pattern of tomorrow");
  EXPECT_EQ(setting_in(completed.database, block_gemm, 1, 0x10).records[0], tuned_block_2d());
  completed.database.patterns.pop_back();
  for (const Finding& finding : verify(completed.database)) ADD_FAILURE() << finding.text;
}

TEST(KdbComplete, a_complete_database_stays_as_it_is) {
  const Database database = all_tuned();
  EXPECT_TRUE(complete(database).database == database);
  const Database without = complete({}, Doubles::no).database;
  EXPECT_TRUE(complete(without).database == without);
}

TEST(KdbComplete, what_has_no_place_is_listed) {
  Database database;
  database.patterns = {
      {.name = block_gemm,
       .settings = {{0, 0x10, std::vector<Record>(7)}, {0, 0x10, {}}, {0, 0x20, {}}}}};
  EXPECT_THAT(complete(database, Doubles::yes).losses,
              ElementsAre(HasSubstr("7 records, 6 are kept"), HasSubstr("there twice"),
                          HasSubstr("no setting of clBLAS")));
}

TEST(KdbSalvage, records_with_a_right_sum_are_saved_from_a_damaged_file) {
  const Database database = all_tuned();
  Bytes bytes = bytes_of(database);
  // A header, a pattern's name, a setting, one record; and the file is cut.
  for (const std::size_t at : {5u, 30u, 70u, 100u}) bytes[at] ^= std::byte{0xff};
  bytes.resize(bytes.size() - 100);
  EXPECT_FALSE(parse(bytes));
  const Salvaged salvaged = salvage(bytes);
  EXPECT_EQ(salvaged.saved, 12'862u);
  EXPECT_EQ(salvaged.lost, 2u);
  EXPECT_EQ(salvaged.database.patterns[0].settings[0].records[0], Record{});
  EXPECT_EQ(salvaged.database.patterns[0].settings[0].records[1],
            database.patterns[0].settings[0].records[1]);
}

TEST(KdbSalvage, a_file_without_doubles_is_known_by_what_fits) {
  const Database database = complete({}, Doubles::no).database;
  Bytes bytes = bytes_of(database);
  bytes[0] = std::byte{0};
  const Salvaged salvaged = salvage(bytes);
  EXPECT_EQ(salvaged.lost, 0u);
  EXPECT_TRUE(salvaged.database == database);
}

TEST(KdbSalvage, nothing_comes_from_nothing) {
  EXPECT_EQ(salvage({}).saved, 0u);
  EXPECT_EQ(salvage(as_bytes("CBS")).lost, 12'864u);
}

}  // namespace
}  // namespace kiln::kdb::testing
