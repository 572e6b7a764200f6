#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "format/kdb/samples.hpp"

namespace kiln::kdb::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The rules that findings break, errors only unless warnings are asked for.
std::vector<std::string> rules(const std::vector<Finding>& findings,
                               Finding::Severity severity = Finding::Severity::error) {
  std::vector<std::string> names;
  for (const Finding& finding : findings)
    if (finding.severity == severity) names.emplace_back(finding.rule);
  return names;
}
std::vector<std::string> warnings(const Database& database) {
  return rules(verify(database), Finding::Severity::warning);
}

constexpr std::uint32_t column_major = 0x10;

class KdbVerify : public ::testing::Test {
 protected:
  /// The rules that a record breaks as record 0 of a float setting of the pattern.
  std::vector<std::string> broken(const char* pattern, const Record& record, std::uint32_t type = 0,
                                  const DeviceLimits& device = {}) {
    Database database = untuned_;
    setting_in(database, pattern, type, column_major).records[0] = record;
    return rules(verify(database, device));
  }
  /// The same of a good record after a change.
  template <class Change>
  requires std::is_invocable_v<Change, Record&> std::vector<std::string> broken(const char* pattern,
                                                                                Record record,
                                                                                Change change) {
    change(record);
    return broken(pattern, record);
  }

  Database untuned_ = complete({}).database;
};

TEST_F(KdbVerify, what_clblas_writes_untuned_is_safe) { EXPECT_THAT(verify(untuned_), IsEmpty()); }

TEST_F(KdbVerify, what_its_tuner_accepts_is_safe) {
  EXPECT_THAT(broken(block_gemm, tuned_block_2d()), IsEmpty());
  EXPECT_THAT(broken(subgroup_gemm, tuned_subgroup_2d()), IsEmpty());
  EXPECT_THAT(broken(block_gemv, tuned_vector()), IsEmpty());
  EXPECT_THAT(broken(block_symv, tuned_vector()), IsEmpty());
  EXPECT_THAT(broken(block_trsm, tuned_block()), IsEmpty());
  EXPECT_THAT(broken(subgroup_syrk, tuned_subgroup()), IsEmpty());
  EXPECT_THAT(broken(lds_gemm, tuned_block_2d()), IsEmpty());
  EXPECT_THAT(rules(verify(all_tuned())), IsEmpty());
}

TEST_F(KdbVerify, a_finding_names_offset_pattern_setting_and_record) {
  Record record = tuned_block_2d();
  record.levels[0].x = 0;
  Database database = untuned_;
  setting_in(database, block_gemm, 0, column_major).records[0] = record;
  const auto findings = verify(database);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].place.offset, 514'433u);  // where a real file has this record
  EXPECT_EQ(describe(database, findings[0].place),
            "Cached global memory based block gemm, float COLUMN_MAJOR, record 0");
  EXPECT_EQ(findings[0].text, "x of level 0 is 0");
}

// What made clBLAS compute wrong numbers, fail and hang.
TEST_F(KdbVerify, decompositions_that_are_known_to_go_wrong_are_named) {
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(),
                     [](Record& r) { r.levels[1].x = r.levels[1].item_x = 3; }),
              ElementsAre("divides"));
  EXPECT_THAT(
      broken(block_gemm, tuned_block_2d(), [](Record& r) { r.granularity.work_group[0] = 8192; }),
      ElementsAre("work-group-limit", "work-group-shape"));
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(), [](Record& r) { r.levels[0].x = 0; }),
              ElementsAre("zero"));
}

TEST_F(KdbVerify, a_time_is_a_positive_number) {
  for (const double time : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                            -std::numeric_limits<double>::infinity()})
    EXPECT_THAT(broken(block_gemm, tuned_block_2d(), [&](Record& r) { r.time = time; }),
                ElementsAre("time"))
        << time;
}

TEST_F(KdbVerify, every_zero_is_named) {
  for (int level = 0; level < 2; ++level)
    for (auto size : {&Dimensions::x, &Dimensions::y, &Dimensions::item_x, &Dimensions::item_y,
                      &Dimensions::bwidth})
      EXPECT_THAT(broken(block_trsm, tuned_block(),
                         [&](Record& r) { r.levels[static_cast<std::size_t>(level)].*size = 0; }),
                  ElementsAre("zero"));
  EXPECT_THAT(
      broken(block_gemm, tuned_block_2d(), [](Record& r) { r.granularity.work_group[1] = 0; }),
      ElementsAre("zero", "work-group-shape"));
}

TEST_F(KdbVerify, level_1_divides_level_0) {
  EXPECT_THAT(broken(lds_gemm, tuned_block_2d(), [](Record& r) { r.levels[0].y = 65; }),
              ElementsAre("divides", "item-step"));
  EXPECT_THAT(broken(lds_gemm, tuned_block_2d(), [](Record& r) { r.levels[0].bwidth = 3; }),
              ElementsAre("divides"));
}

TEST_F(KdbVerify, steps_divide_items) {
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(), [](Record& r) { r.levels[0].item_x = 17; }),
              ElementsAre("item-step"));
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(), [](Record& r) { r.levels[0].item_x = 10000; }),
              IsEmpty());
  EXPECT_THAT(broken(subgroup_syrk, tuned_subgroup(), [](Record& r) { r.levels[1].item_x = 8; }),
              ElementsAre("item-step"));
}

TEST_F(KdbVerify, tiles_have_the_sizes_that_generators_take) {
  EXPECT_THAT(broken(block_trsm, tuned_block(),
                     [](Record& r) {
                       r.levels[0].x = r.levels[0].item_x = 64;
                       r.levels[1].x = r.levels[1].item_x = 16;
                     }),
              ElementsAre("tile-range", "registers"));
  EXPECT_THAT(broken(block_gemv, tuned_vector(),
                     [](Record& r) {
                       r.levels[0].x = r.levels[0].item_x = 2;
                       r.levels[1].x = r.levels[1].item_x = 2;
                     }),
              ElementsAre("tile-range", "tile-range"));
  EXPECT_THAT(broken(subgroup_syrk, tuned_subgroup(),
                     [](Record& r) {
                       r.levels[0].bwidth = 8;
                       r.levels[1].bwidth = 2;
                     }),
              ElementsAre("tile-range"));
  EXPECT_THAT(broken(subgroup_gemm, tuned_subgroup_2d(),
                     [](Record& r) {
                       r.levels[0].bwidth = 2;
                       r.granularity.work_group = {1, 16};
                     }),
              ElementsAre("wavefront", "tile-range", "work-group-size"));
}

TEST_F(KdbVerify, wide_types_have_smaller_tiles) {
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(), 3), ElementsAre("tile-range", "registers"));
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(), 1), IsEmpty());
}

TEST_F(KdbVerify, a_symv_block_reaches_the_diagonal) {
  const auto change = [](Record& r) {
    r.levels[0] = {1, 64, 1, 64, 32};
    r.levels[1] = {1, 8, 1, 8, 4};
  };
  EXPECT_THAT(broken(block_gemv, tuned_vector(), change), IsEmpty());
  EXPECT_THAT(broken(block_symv, tuned_vector(), change), ElementsAre("tile-range"));
}

TEST_F(KdbVerify, a_blocks_width_is_the_items) {
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(), [](Record& r) { r.levels[0].bwidth = 4; }),
              ElementsAre("block-width"));
}

TEST_F(KdbVerify, registers_are_counted) {
  EXPECT_THAT(broken(block_trsm, tuned_block(),
                     [](Record& r) { r.levels[0].bwidth = r.levels[1].bwidth = 4; }),
              ElementsAre("registers"));
}

TEST_F(KdbVerify, a_work_group_has_as_many_items_as_the_decomposition) {
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(),
                     [](Record& r) {
                       r.granularity.work_group = {16, 8};
                     }),
              ElementsAre("work-group-shape"));
  EXPECT_THAT(
      broken(block_trsm, tuned_block(), [](Record& r) { r.levels[0].x = r.levels[0].item_x = 64; }),
      ElementsAre("work-group-shape"));
  EXPECT_THAT(broken(block_trsm, tuned_block(),
                     [](Record& r) {
                       r.levels[0].x = r.levels[0].item_x = 64;
                       r.granularity.work_group[0] = 128;
                     }),
              ElementsAre("work-group-size"));
}

// A product's work-group has its 16 parts along x and its 8 along y in either order: neighbouring
// work-items lie along x where A is read by rows and B by columns.
TEST_F(KdbVerify, a_products_work_group_lies_as_the_operands_are_read) {
  Record record = tuned_block_2d();
  record.levels[0] = {32, 16, 32, 16, 2};
  record.levels[1] = {2, 2, 2, 2, 2};
  constexpr std::uint32_t trans_a = 0x1, trans_b = 0x4;
  for (const std::uint32_t flags :
       {0u, trans_a, trans_b, trans_a | trans_b, column_major, column_major | trans_a,
        column_major | trans_b, column_major | trans_a | trans_b}) {
    const bool x_first = flags == 0 || flags == (column_major | trans_a | trans_b);
    for (const bool is_x_first : {true, false}) {
      record.granularity.work_group = {is_x_first ? 16u : 8u, is_x_first ? 8u : 16u};
      Database database = untuned_;
      setting_in(database, block_gemm, 0, flags).records[0] = record;
      EXPECT_THAT(rules(verify(database)), IsEmpty()) << flags;
      if (is_x_first == x_first)
        EXPECT_THAT(warnings(database), IsEmpty()) << flags;
      else
        EXPECT_THAT(warnings(database), ElementsAre("work-group-order")) << flags;
    }
    record.granularity.work_group = {32, 4};
    Database database = untuned_;
    setting_in(database, block_gemm, 0, flags).records[0] = record;
    EXPECT_THAT(rules(verify(database)), ElementsAre("work-group-shape")) << flags;
  }
}

TEST_F(KdbVerify, dimensions_and_wavefront_are_those_of_a_launch) {
  EXPECT_THAT(broken(lds_gemm, tuned_block_2d(), [](Record& r) { r.granularity.dimensions = 3; }),
              ElementsAre("dimensions"));
  EXPECT_THAT(broken(lds_gemm, tuned_block_2d(), [](Record& r) { r.granularity.wavefront = 48; }),
              ElementsAre("wavefront"));
  EXPECT_THAT(broken(lds_gemm, tuned_block_2d(), [](Record& r) { r.granularity.wavefront = 0; }),
              ElementsAre("wavefront"));
  EXPECT_THAT(
      broken(subgroup_syrk, tuned_subgroup(), [](Record& r) { r.granularity.dimensions = 2; }),
      ElementsAre("dimensions"));
}

TEST_F(KdbVerify, a_work_group_fits_the_record_and_the_device) {
  EXPECT_THAT(
      broken(block_gemm, tuned_block_2d(), [](Record& r) { r.granularity.max_work_group = 63; }),
      ElementsAre("work-group-limit"));
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(), 0, {63}), ElementsAre("device-limit"));
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(), 0, {64}), IsEmpty());
}

TEST_F(KdbVerify, huge_sizes_do_not_wrap) {
  EXPECT_THAT(broken(block_gemm, tuned_block_2d(),
                     [](Record& r) {
                       r.granularity.work_group = {0x80000008, 0x80000008};
                     }),
              ElementsAre("work-group-limit", "work-group-shape"));
}

TEST_F(KdbVerify, an_unknown_pattern_is_an_error_since_clblas_dies_of_it) {
  Database database = untuned_;
  database.patterns.push_back({.name = "A pattern of tomorrow"});
  EXPECT_THAT(rules(verify(database)), ElementsAre("pattern-unknown"));
}

TEST_F(KdbVerify, the_order_of_patterns_is_fixed) {
  Database database = untuned_;
  std::swap(database.patterns[2], database.patterns[3]);
  EXPECT_THAT(rules(verify(database)), ElementsAre("pattern-order"));
  database = untuned_;
  database.patterns.push_back(database.patterns[0]);
  EXPECT_THAT(rules(verify(database)), ElementsAre("pattern-twice"));
  database = untuned_;
  database.patterns.pop_back();
  EXPECT_THAT(rules(verify(database)), ElementsAre("pattern-missing"));
}

TEST_F(KdbVerify, the_settings_of_a_pattern_are_fixed) {
  auto& settings = untuned_.patterns[0].settings;
  const auto before = settings;
  std::swap(settings[4], settings[5]);
  EXPECT_THAT(rules(verify(untuned_)), ElementsAre("setting-order"));
  settings = before;
  settings.pop_back();
  EXPECT_THAT(rules(verify(untuned_)), ElementsAre("setting-missing"));
  settings = before;
  settings[5] = settings[4];
  EXPECT_THAT(rules(verify(untuned_)), ElementsAre("setting-missing", "setting-twice"));
  settings = before;
  settings.push_back({4, 0, settings[0].records});
  EXPECT_THAT(rules(verify(untuned_)), ElementsAre("data-type"));
  settings.back() = {0, 0x4, settings[0].records};
  EXPECT_THAT(rules(verify(untuned_)), ElementsAre("flags"));
  settings = before;
  untuned_.patterns[2].settings.push_back({0, 0x3, settings[0].records});
  EXPECT_THAT(rules(verify(untuned_)), ElementsAre("flags"));
}

TEST_F(KdbVerify, every_setting_has_six_records) {
  untuned_.patterns[3].settings[7].records.pop_back();
  EXPECT_THAT(rules(verify(untuned_)), ElementsAre("record-count"));
}

TEST_F(KdbVerify, a_device_without_doubles_has_fewer_settings) {
  EXPECT_THAT(verify(complete({}, Doubles::no).database), IsEmpty());
}

TEST_F(KdbVerify, what_clblas_never_uses_is_a_warning) {
  Database database = untuned_;
  database.functions = 49;
  database.binary_start = 1;
  EXPECT_THAT(warnings(database), ElementsAre("header", "header"));
  database = untuned_;
  auto& records = setting_in(database, block_gemm, 0, column_major).records;
  records[1] = tuned_block_2d();
  EXPECT_THAT(warnings(database), ElementsAre("hidden"));
  records[0] = tuned_block_2d();
  records[1].duplicate[0] = 1;
  records[1].offsets[0] = 1;
  EXPECT_THAT(warnings(database), ElementsAre("duplicate", "kernel-offset"));
  database = untuned_;
  setting_in(database, block_gemm, 0, 0x810).records[0] = tuned_block_2d();
  EXPECT_THAT(warnings(database), ElementsAre("never-used"));
  EXPECT_THAT(rules(verify(database)), IsEmpty());
}

TEST_F(KdbVerify, version_1_is_checked_without_clblas_s_fixed_layout) {
  const Database database = small(Layout::v1);
  EXPECT_THAT(rules(verify(database)), ElementsAre("pattern-unknown"));
  Database wrong = database;
  wrong.patterns.pop_back();
  wrong.patterns[0].settings[0].records[0].levels[0].x = 17;
  EXPECT_THAT(rules(verify(wrong)), ElementsAre("divides", "item-step"));
}

TEST_F(KdbVerify, a_file_is_checked_whole_in_spite_of_a_wrong_sum) {
  Bytes file = bytes_of(small(Layout::v3));
  EXPECT_TRUE(check(file).unreadable.empty());
  file.back() ^= std::byte{1};  // the last record's sum
  const Report damaged = check(file);
  EXPECT_TRUE(damaged.unreadable.empty());
  EXPECT_FALSE(damaged.good());
  EXPECT_THAT(rules(damaged.findings), ::testing::Contains("sum"));
  EXPECT_FALSE(damaged.database.patterns.empty());
  file.resize(3);
  EXPECT_FALSE(check(file).unreadable.empty());
}

}  // namespace
}  // namespace kiln::kdb::testing
