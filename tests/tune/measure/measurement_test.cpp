#include "tune/measure/measurement.hpp"

#include <gtest/gtest.h>

#include <map>

#include "../support.hpp"
#include "tune/replay/measured_space.hpp"

namespace kiln::tune {
namespace {

using testing::valley;

using Times = std::map<ConfigurationId, double>;

/// Times by configuration, as they are; counts what is asked for.
class ExactSampler : public Sampler {
 public:
  explicit ExactSampler(Times times) : times_(std::move(times)) {}
  Outcome sample(ConfigurationId id, std::size_t launches) override {
    ++samples_of[id];
    longest = std::max(longest, launches);
    const auto found = times_.find(id);
    if (found == times_.end()) return Outcome::of(Failure::crash);
    if (broken.contains(id) && samples_of[id] > broken.at(id)) return Outcome::of(Failure::launch);
    return Outcome::of_time(found->second * static_cast<double>(launches));
  }
  std::map<ConfigurationId, std::size_t> samples_of, broken;
  std::size_t longest = 0;

 private:
  Times times_;
};

TEST(Measurement, finds_exact_times_without_noise) {
  ExactSampler sampler(Times{{1, 5}, {2, 4}, {3, 6}});
  Measurement measurement(sampler, {}, 1);
  EXPECT_NEAR(measurement.measure(1).time, 5, 1e-9);
  EXPECT_NEAR(measurement.measure(2).time, 4, 1e-9);
  EXPECT_EQ(measurement.incumbent(), 2u);
  EXPECT_NEAR(measurement.measure(3).time, 6, 1e-9);
  EXPECT_EQ(measurement.incumbent(), 2u);
  EXPECT_EQ(measurement.play_off()->id, 2u);
}

TEST(Measurement, spends_few_samples_on_what_has_no_hope) {
  ExactSampler sampler(Times{{1, 1}, {2, 10}, {3, 1.001}});
  const MeasurePolicy policy;
  Measurement measurement(sampler, policy, 1);
  measurement.measure(1);
  measurement.measure(2);
  measurement.measure(3);
  EXPECT_EQ(sampler.samples_of[2], policy.least_pairs);
  EXPECT_EQ(sampler.samples_of[3], policy.most_pairs);
}

/// All alike, on a machine that is now and then much slower for a sample.
class EqualSampler : public Sampler {
 public:
  Outcome sample(ConfigurationId, std::size_t launches) override {
    const double noise = random_.unit() < 0.3 ? 1 + 2 * random_.unit() : 1 + 0.1 * random_.unit();
    return Outcome::of_time(noise * static_cast<double>(launches));
  }

 private:
  Random random_{3};
};

TEST(Measurement, keeps_its_scale_among_many_that_are_equally_fast) {
  EqualSampler sampler;
  Measurement measurement(sampler, {}, 1);
  std::vector<double> first, last;
  for (ConfigurationId id = 0; id < 1200; ++id) {
    const double time = measurement.measure(id).time;
    if (id >= 1 && id <= 100) first.push_back(time);
    if (id >= 1100) last.push_back(time);
  }
  std::nth_element(first.begin(), first.begin() + 50, first.end());
  std::nth_element(last.begin(), last.begin() + 50, last.end());
  EXPECT_NEAR(last[50] / first[50], 1, 0.1);
}

TEST(Measurement, passes_failures_on_and_goes_on) {
  ExactSampler sampler(Times{{1, 2}});
  Measurement measurement(sampler, {}, 1);
  EXPECT_EQ(measurement.measure(7).failure, Failure::crash);
  EXPECT_FALSE(measurement.play_off().has_value());
  EXPECT_TRUE(measurement.measure(1).ok());
  EXPECT_EQ(measurement.measure(8).failure, Failure::crash);
  EXPECT_EQ(measurement.play_off()->id, 1u);
}

TEST(Measurement, measures_beside_the_next_best_when_the_incumbent_breaks) {
  ExactSampler sampler(Times{{1, 3}, {2, 2}, {3, 2.5}});
  Measurement measurement(sampler, {}, 1);
  measurement.measure(1);
  measurement.measure(2);
  ASSERT_EQ(measurement.incumbent(), 2u);
  sampler.broken[2] = sampler.samples_of[2];
  EXPECT_NEAR(measurement.measure(3).time, 2.5, 1e-9);
  EXPECT_EQ(measurement.incumbent(), 3u);
  EXPECT_EQ(measurement.play_off()->id, 3u);
}

TEST(Measurement, who_breaks_in_the_play_off_does_not_win_it) {
  ExactSampler sampler(Times{{1, 2}, {2, 1.999}});
  Measurement measurement(sampler, {}, 1);
  measurement.measure(1);
  measurement.measure(2);
  sampler.broken[2] = sampler.samples_of[2] + 2;
  EXPECT_EQ(measurement.play_off()->id, 1u);
}

TEST(Measurement, takes_more_launches_where_a_sample_is_too_short) {
  ExactSampler sampler(Times{{1, 0.001}, {2, 0.002}});
  MeasurePolicy policy;
  policy.least_sample = 0.1;
  Measurement measurement(sampler, policy, 1);
  EXPECT_NEAR(measurement.measure(1).time, 0.001, 1e-12);
  EXPECT_NEAR(measurement.measure(2).time, 0.002, 1e-12);
  EXPECT_EQ(sampler.longest, 128u);
}

/// Seeds, of `seeds`, in which the winner is truly within 2 % of the best.
std::size_t good_seeds(const NoisySampler::Trouble& trouble, std::size_t seeds) {
  const MeasuredSpace measured = valley();
  std::size_t good = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    NoisySampler sampler(measured, trouble, seed);
    Measurement measurement(sampler, {}, seed);
    for (ConfigurationId id = 0; id < measured.space.size(); ++id) measurement.measure(id);
    good += measured.outcomes[measurement.play_off()->id].time <= 1.02 * measured.fastest;
  }
  return good;
}

TEST(Measurement, finds_the_best_through_noise) { EXPECT_GE(good_seeds({0.2, 0, 1}, 20), 19u); }

TEST(Measurement, is_not_misled_by_a_machine_that_becomes_slower) {
  EXPECT_GE(good_seeds({0.2, 500, 2}, 20), 19u);
  EXPECT_GE(good_seeds({0.02, 300, 2}, 20), 19u);
}

TEST(Measurement, is_not_misled_by_a_machine_that_becomes_faster) {
  EXPECT_GE(good_seeds({0.02, 300, 0.5}, 20), 19u);
}

TEST(Measurement, tells_times_on_the_scale_of_the_start) {
  const MeasuredSpace measured = valley();
  NoisySampler sampler(measured, {0.01, 100, 2}, 3);
  Measurement measurement(sampler, {}, 1);
  for (ConfigurationId id = 0; id < measured.space.size(); ++id) {
    const Outcome told = measurement.measure(id);
    const Outcome& truth = measured.outcomes[id];
    ASSERT_EQ(told.ok(), truth.ok());
    if (truth.ok() && id > 100) {
      EXPECT_NEAR(told.time / truth.time, 1, 0.1);
    }
  }
}

TEST(Measurement, is_the_same_for_the_same_seed) {
  const MeasuredSpace measured = valley();
  const auto run = [&] {
    NoisySampler sampler(measured, {0.2, 100, 2}, 5);
    Measurement measurement(sampler, {}, 6);
    for (ConfigurationId id = 0; id < 60; ++id) measurement.measure(id);
    const auto winner = measurement.play_off();
    return std::pair(winner->id, measurement.samples());
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace kiln::tune
