#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>

#include "kiln/spec/file.hpp"

namespace kiln::spec {
namespace {

constexpr auto base = SpecDialect::base;
constexpr auto concurrent = SpecDialect::concurrent;

std::vector<std::int64_t> classes(SpecDialect dialect, std::int64_t n) {
  std::vector<std::int64_t> row;
  for (int p = 0; p <= 10; ++p) row.push_back(value_or_throw(partition_round(dialect, n, p * 10)));
  return row;
}

using Table = std::map<std::int64_t, std::vector<std::int64_t>>;

TEST(PartitionRound, equals_the_base_originals_table) {
  const Table table = {{8, {0, 0, 0, 0, 0, 4, 8, 8, 8, 8, 8}},
                       {16, {0, 1, 2, 3, 4, 8, 12, 13, 14, 15, 16}},
                       {64, {0, 6, 12, 18, 24, 32, 40, 46, 52, 58, 64}},
                       {256, {0, 20, 40, 60, 80, 128, 176, 196, 216, 236, 256}},
                       {257, {1, 21, 41, 61, 81, 129, 176, 196, 216, 236, 256}},
                       {1024, {0, 100, 200, 300, 400, 512, 624, 724, 824, 924, 1024}},
                       {1000, {0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}}};
  for (const auto& [n, row] : table) EXPECT_EQ(classes(base, n), row) << n;
}

TEST(PartitionRound, equals_the_concurrent_originals_table) {
  const Table table = {{8, {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8}},
                       {16, {0, 1, 3, 4, 6, 8, 10, 12, 13, 15, 16}},
                       {64, {0, 6, 12, 19, 25, 32, 39, 45, 52, 58, 64}},
                       {256, {0, 25, 51, 76, 102, 128, 154, 180, 205, 231, 256}},
                       {257, {1, 26, 52, 77, 103, 129, 154, 180, 205, 231, 256}},
                       {1024, {0, 102, 204, 307, 409, 512, 615, 717, 820, 922, 1024}},
                       {1000, {0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}}};
  for (const auto& [n, row] : table) EXPECT_EQ(classes(concurrent, n), row) << n;
}

TEST(PartitionRound, gives_two_shares_of_an_even_size_that_fill_it) {
  for (const auto dialect : {base, concurrent}) {
    for (std::int64_t n = 0; n < 5000; n += 2) {
      const auto row = classes(dialect, n);
      for (std::size_t p = 0; p <= 10; ++p) ASSERT_EQ(row[p] + row[10 - p], n) << n << " " << p;
    }
  }
}

TEST(PartitionRound, breaks_every_pair_of_an_odd_size) {
  for (const auto dialect : {base, concurrent}) {
    for (std::int64_t n = 1; n < 2000; n += 2) {
      const auto row = classes(dialect, n);
      EXPECT_EQ(row[0], 1) << "the first element is skipped";
      EXPECT_EQ(row[10], n - 1);
      EXPECT_EQ(row[5] + row[5], n + 1) << "the halves overrun by one";
    }
  }
}

TEST(PartitionRound, rounds_from_above_or_below_as_exact_says) {
  EXPECT_EQ(*partition_round(base, 256, 60, 0), 256 - 2 * 40);
  EXPECT_EQ(*partition_round(base, 256, 60, 1), 2 * 60);
  EXPECT_EQ(*partition_round(concurrent, 256, 60, 0), 256 - 102);
  EXPECT_EQ(*partition_round(concurrent, 256, 60, 1), 153);
}

TEST(PartitionRound, takes_the_rest_of_a_smaller_total) {
  // 30 % of which the first device of a kind took 20: the last gets what 30 % is, less 20 %.
  EXPECT_EQ(*partition_round(base, 256, 10, 0, 30), 60 - 2 * 20);
  EXPECT_EQ(*partition_round(base, 256, 20, 0, 80), 216 - 2 * 60);
}

TEST(PartitionRound, refuses_numbers_that_would_overflow) {
  EXPECT_FALSE(partition_round(base, INT64_MAX, 50));
  EXPECT_FALSE(partition_round(base, INT64_MIN, 50));
  EXPECT_FALSE(partition_round(base, 100, INT64_MAX));
  EXPECT_FALSE(partition_round(base, 100, 50, 0, INT64_MIN));
}

TEST(MultipleRound, rounds_in_steps_of_the_first_smaller_divisor) {
  EXPECT_EQ(*multiple_round(base, 65536, 30, {256, 1}), 60 * 256);
  EXPECT_EQ(*multiple_round(base, 256, 30, {256, 1}), 60) << "256 is not smaller than 256";
  EXPECT_EQ(*multiple_round(base, 257, 30, {256, 1}), 61);
  EXPECT_EQ(*multiple_round(base, 2048, 30, {1024, 1}), 0) << "two steps, 30 % of them is none";
}

TEST(MultipleRound, fails_where_the_original_gets_none) {
  const auto one = multiple_round(base, 1, 100, {1});
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().code(), Errc::refused);
  EXPECT_NE(one.error().message().find("the original fails"), std::string::npos);
  EXPECT_EQ(*multiple_round(concurrent, 1, 100, {1}), 1);
  EXPECT_FALSE(multiple_round(concurrent, 1, 0, {1}));
  EXPECT_FALSE(multiple_round(base, 10, 50, {0}));
}

RC_GTEST_PROP(PartitionRound, never_passes_the_ends_of_an_even_size, ()) {
  const auto n = 2 * *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
  const auto percent = *rc::gen::inRange<std::int64_t>(0, 101);
  for (const auto dialect : {base, concurrent}) {
    const auto share = *partition_round(dialect, n, percent);
    RC_ASSERT(share >= 0 && share <= n);
  }
}

RC_GTEST_PROP(PartitionRound, is_within_a_step_of_the_percentage, ()) {
  const auto n = 2 * *rc::gen::inRange<std::int64_t>(50, std::int64_t{1} << 40);
  const auto percent = *rc::gen::inRange<std::int64_t>(0, 101);
  const double exact = static_cast<double>(n) * static_cast<double>(percent) / 100;
  RC_ASSERT(std::abs(static_cast<double>(*partition_round(base, n, percent)) - exact) <= 100);
  RC_ASSERT(std::abs(static_cast<double>(*partition_round(concurrent, n, percent)) - exact) <= 1);
}

RC_GTEST_PROP(MultipleRound, keeps_to_multiples, ()) {
  const auto multiple = *rc::gen::inRange<std::int64_t>(1, 5000);
  const auto steps = *rc::gen::inRange<std::int64_t>(2, 100000);
  const auto percent = *rc::gen::inRange<std::int64_t>(0, 101);
  const auto rounded = multiple_round(base, steps * multiple, percent, {multiple, 1});
  RC_ASSERT(rounded.has_value());
  RC_ASSERT(*rounded % multiple == 0);
}

}  // namespace
}  // namespace kiln::spec
