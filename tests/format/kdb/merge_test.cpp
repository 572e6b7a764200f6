#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "format/kdb/samples.hpp"

namespace kiln::kdb::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Record timed(double time) {
  Record record = tuned_block_2d();
  record.time = time;
  return record;
}
Database with(const std::vector<Record>& records, const char* name = block_gemm) {
  Database database;
  database.patterns = {{.name = name, .settings = {{0, 0x10, records}}}};
  return database;
}
Merged merged(const std::vector<Database>& databases, Prefer prefer = Prefer::faster) {
  return value_or_throw(merge(databases, prefer));
}
const std::vector<Record>& records_of(const Merged& merged) {
  return merged.database.patterns.at(0).settings.at(0).records;
}

TEST(KdbMerge, a_tuned_record_beats_an_untuned_one) {
  const auto result = merged({with({Record{}, timed(1)}), with({timed(2), Record{}})});
  EXPECT_THAT(records_of(result), ElementsAre(timed(2), timed(1)));
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(KdbMerge, the_faster_of_two_wins_and_is_named) {
  const auto result = merged({with({timed(3)}), with({timed(1)}), with({timed(2)})});
  EXPECT_THAT(records_of(result), ElementsAre(timed(1)));
  ASSERT_EQ(result.notes.size(), 2u);
  EXPECT_THAT(result.notes[0],
              HasSubstr("block gemm, float COLUMN_MAJOR, record 0: file 1 has '3 ms;"));
  EXPECT_THAT(result.notes[0], HasSubstr("taken: file 2"));
  EXPECT_THAT(result.notes[1], HasSubstr("file 2 has '1 ms;"));
  EXPECT_THAT(result.notes[1], HasSubstr("taken: file 2"));
}

TEST(KdbMerge, the_first_or_the_last_can_be_preferred) {
  const std::vector<Database> three{with({timed(2)}), with({timed(1)}), with({timed(3)})};
  EXPECT_THAT(records_of(merged(three, Prefer::first)), ElementsAre(timed(2)));
  EXPECT_THAT(records_of(merged(three, Prefer::last)), ElementsAre(timed(3)));
}

TEST(KdbMerge, of_equal_times_the_first_stays) {
  Record other = timed(1);
  other.levels[0].y = 128;
  const auto result = merged({with({timed(1)}), with({other})});
  EXPECT_THAT(records_of(result), ElementsAre(timed(1)));
  EXPECT_EQ(result.notes.size(), 1u);
}

TEST(KdbMerge, a_time_that_is_none_never_wins) {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           -std::numeric_limits<double>::infinity()}) {
    for (const Prefer prefer : {Prefer::faster, Prefer::last})
      EXPECT_THAT(records_of(merged({with({timed(5)}), with({timed(bad)})}, prefer)),
                  ElementsAre(timed(5)));
    EXPECT_THAT(records_of(merged({with({timed(bad)}), with({timed(5)})}, Prefer::first)),
                ElementsAre(timed(5)));
  }
}

TEST(KdbMerge, equal_databases_merge_without_a_word) {
  for (const Layout layout : {Layout::v3, Layout::v1}) {
    const auto result = merged({small(layout), small(layout)});
    EXPECT_TRUE(result.database == small(layout));
    EXPECT_THAT(result.notes, IsEmpty());
  }
}

TEST(KdbMerge, what_only_one_has_takes_its_place_in_clblas_s_order) {
  Database first = with({timed(1)}, block_trsm), second = with({timed(2)}, block_gemv);
  first.patterns.push_back({.name = "A pattern of tomorrow"});
  second.patterns[0].settings.insert(second.patterns[0].settings.begin(), {2, 0, {Record{}}});
  second.patterns.push_back({.name = "Another"});
  const auto result = merged({first, second});
  std::vector<std::string> names;
  for (const Pattern& pattern : result.database.patterns) names.push_back(pattern.name);
  EXPECT_THAT(names, ElementsAre(block_gemv, block_trsm, "A pattern of tomorrow", "Another"));
  EXPECT_EQ(result.database.patterns[0].settings[0].type, 2u);
}

TEST(KdbMerge, settings_take_their_place_too) {
  Database first = with({timed(1)}), second = with({timed(2)});
  first.patterns[0].settings[0].flags = 0x11;
  second.patterns[0].settings = {{2, 0, {Record{}}}, {3, 0x81f, {Record{}}}};
  const auto result = merged({first, second});
  std::vector<std::uint32_t> flags;
  for (const Setting& setting : result.database.patterns[0].settings)
    flags.push_back(setting.flags);
  EXPECT_THAT(flags, ElementsAre(0u, 0x11u, 0x81fu));
}

TEST(KdbMerge, kernels_move_with_their_records) {
  Database first = small(Layout::v1), second = small(Layout::v1);
  second.patterns[0].settings[0].records[1] = timed(7);
  second.patterns[0].settings[0].records[1].granularity.max_work_group = 0;
  auto slots = kernels(small(Layout::v1));
  const Database keep = small(Layout::v1);
  slots = kernels(keep);
  slots.push_back({0, 0, 1, 0, as_bytes("of the second")});
  ASSERT_TRUE(place_kernels(second, slots));
  const auto result = merged({first, second});
  const Bytes bytes = bytes_of(result.database);
  const auto read = parse(bytes);
  ASSERT_TRUE(read) << read.error().message();
  const auto& records = read->patterns[0].settings[0].records;
  EXPECT_EQ(as_text(kernel(*read, records[0], 0)), "one kernel");
  EXPECT_EQ(as_text(kernel(*read, records[1], 0)), "of the second");
  EXPECT_EQ(as_text(kernel(*read, records[2], 1)), "another");
}

TEST(KdbMerge, databases_of_another_version_are_converted_and_losses_named) {
  const auto result = merged({with({Record{}}), small(Layout::v1)});
  EXPECT_EQ(result.database.layout, Layout::v3);
  EXPECT_TRUE(records_of(result)[0].tuned());
  EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("file 2: lost: kernel binaries")));
}

TEST(KdbMerge, nothing_cannot_be_merged) { EXPECT_FALSE(merge({}, Prefer::faster)); }

TEST(KdbMerge, tuned_records_move_into_a_whole_database) {
  Database target = complete({}).database;
  const auto result = merged({target, with({timed(1)})});
  EXPECT_EQ(setting_in(const_cast<Database&>(result.database), block_gemm, 0, 0x10).records[0],
            timed(1));
  EXPECT_THAT(verify(result.database), IsEmpty());
}

TEST(KdbDiff, differences_are_named_by_what_they_are) {
  Database first = small(Layout::v3), second = first;
  std::swap(second.patterns[0], second.patterns[1]);
  EXPECT_THAT(diff(first, second), IsEmpty()) << "the order says nothing";
  second = first;
  second.patterns[0].settings[0].records[1] = timed(2);
  second.patterns[0].settings[1].records.pop_back();
  second.patterns[1].settings.clear();
  second.patterns.push_back({.name = "new"});
  second.functions = 51;
  const auto differences = diff(first, second);
  ASSERT_EQ(differences.size(), 5u);
  EXPECT_EQ(differences[0].place, "header");
  EXPECT_EQ(differences[1].place, std::string(block_gemm) + ", float COLUMN_MAJOR, record 1");
  EXPECT_EQ(differences[1].first, "untuned");
  EXPECT_THAT(differences[1].second, HasSubstr("2 ms; 16 x 64 x 2, items 16 x 64; 2 x 8 x 2"));
  EXPECT_EQ(differences[2].second, "");
  EXPECT_EQ(differences[3].first, "1 records");
  EXPECT_EQ(differences[4].place, "new");
}

TEST(KdbDiff, kernels_are_compared_by_content) {
  const Database first = small(Layout::v1);
  Database second = first;
  auto slots = kernels(first);
  ASSERT_TRUE(place_kernels(second, {slots[2], slots[0], slots[1]}));
  EXPECT_THAT(diff(first, second), IsEmpty()) << "where they lie says nothing";
  slots[1].content = as_bytes("ANOTHER");
  ASSERT_TRUE(place_kernels(second, slots));
  const auto differences = diff(first, second);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_THAT(differences[0].place, HasSubstr("record 2, kernel 1"));
}

TEST(KdbDiff, versions_are_compared_by_what_both_say) {
  const Database database = with({timed(1)});
  const auto differences = diff(database, convert(database, Layout::v1)->database);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].place, "layout");
}

}  // namespace
}  // namespace kiln::kdb::testing
