#include "layer/measure/statistics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace kiln::layer::measure {
namespace {

RC_GTEST_PROP(MeasuredTimes, AreExactWhileTheyAreFew, ()) {
  const auto all = *rc::gen::suchThat(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 1'000'000)),
      [](const auto& list) { return !list.empty() && list.size() <= 1000; });
  Times times;
  for (const auto ns : all) times.add(ns);
  auto sorted = all;
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  RC_ASSERT(times.count() == all.size());
  RC_ASSERT(times.total() == std::accumulate(all.begin(), all.end(), std::int64_t{0}));
  RC_ASSERT(times.least() == sorted.front());
  RC_ASSERT(times.most() == sorted.back());
  RC_ASSERT(times.median() ==
            (sorted.size() % 2 != 0 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2));
}

TEST(MeasuredTimes, OfManyTheMedianIsAnEstimate) {
  Times times;
  // In order: a sample of the first ones alone would be far off.
  for (std::int64_t ns = 1; ns <= 100'000; ++ns) times.add(ns);
  EXPECT_EQ(times.count(), 100'000u);
  EXPECT_EQ(times.least(), 1);
  EXPECT_EQ(times.most(), 100'000);
  EXPECT_NEAR(static_cast<double>(times.median()), 50'000, 5'000);
}

LaunchSizes of(std::uint64_t global) {
  LaunchSizes sizes;
  sizes.dimensions = 1;
  sizes.global[0] = global;
  return sizes;
}

TEST(SizesSeen, TheMostFrequentComeFirst) {
  SizesSeen seen;
  for (const std::uint64_t global : {8, 16, 16, 32, 32, 32, 8, 32}) seen.add(of(global));
  const auto found = seen.most_frequent(2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].sizes.global[0], 32u);
  EXPECT_EQ(found[0].calls, 4u);
  EXPECT_EQ(found[1].sizes.global[0], 8u);
  EXPECT_EQ(seen.calls(), 8u);
}

TEST(SizesSeen, ThoseBeyondTheFirstOnesAreCountedTogether) {
  SizesSeen seen;
  for (std::uint64_t global = 1; global <= 10'000; ++global) seen.add(of(global));
  seen.add(of(1));
  EXPECT_EQ(seen.calls(), 10'001u);
  EXPECT_EQ(seen.most_frequent(1).front().sizes.global[0], 1u);
  EXPECT_LE(seen.most_frequent(10'000).size(), 64u);
}

}  // namespace
}  // namespace kiln::layer::measure
