#include "store/local/eviction.hpp"

#include <gtest/gtest.h>

namespace kiln {
namespace {

constexpr std::int64_t moment = 1'700'000'000, day = 86'400;

EntryInfo row(Kind kind, double cost, std::uint64_t size, std::uint64_t hits,
              std::int64_t last_used) {
  EntryInfo row;
  row.kind = kind;
  row.metadata.cost_seconds = cost;
  row.size = size;
  row.created = moment - 100 * day;
  row.hits = hits;
  row.last_used = last_used;
  return row;
}

TEST(Usefulness, grows_with_cost_and_uses_and_falls_with_size_and_age) {
  const auto base = usefulness(row(Kind::artifact, 1, 50'000, 3, moment - day), moment);
  EXPECT_GT(usefulness(row(Kind::artifact, 2, 50'000, 3, moment - day), moment), base);
  EXPECT_GT(usefulness(row(Kind::artifact, 1, 50'000, 4, moment - day), moment), base);
  EXPECT_LT(usefulness(row(Kind::artifact, 1, 90'000, 3, moment - day), moment), base);
  EXPECT_LT(usefulness(row(Kind::artifact, 1, 50'000, 3, moment - 2 * day), moment), base);
}

TEST(Usefulness, halves_in_two_weeks) {
  const auto fresh = usefulness(row(Kind::artifact, 1, 50'000, 3, moment), moment);
  EXPECT_DOUBLE_EQ(usefulness(row(Kind::artifact, 1, 50'000, 3, moment - 14 * day), moment),
                   fresh / 2);
}

TEST(Usefulness, a_clock_that_went_back_makes_nothing_more_than_fresh) {
  const auto fresh = usefulness(row(Kind::artifact, 1, 50'000, 3, moment), moment);
  EXPECT_DOUBLE_EQ(usefulness(row(Kind::artifact, 1, 50'000, 3, moment + 900 * day), moment),
                   fresh);
}

TEST(Usefulness, what_tuning_found_stays_before_a_program_of_no_known_cost) {
  EXPECT_GT(usefulness(row(Kind::record, 0, 300, 0, moment - 60 * day), moment),
            usefulness(row(Kind::artifact, 0.3, 50'000, 10, moment), moment));
}

TEST(StaleDevices, are_the_present_ones_in_another_version) {
  const StaleDevices devices({"P|v1|gpu|d|1.0|64", "P|v1|cpu|d|1.0|64"});
  EXPECT_FALSE(devices.stale("P|v1|gpu|d|1.0|64"));
  EXPECT_TRUE(devices.stale("P|v1|gpu|d|0.9|64"));
  EXPECT_TRUE(devices.stale("P|v0|cpu|d|1.0|64"));
  EXPECT_FALSE(devices.stale("P|v1|other gpu|d|0.9|64"));
  EXPECT_FALSE(devices.stale("Q|v1|gpu|d|0.9|64"));
  EXPECT_FALSE(devices.stale(""));
  EXPECT_FALSE(StaleDevices().stale("P|v1|gpu|d|0.9|64"));
}

}  // namespace
}  // namespace kiln
