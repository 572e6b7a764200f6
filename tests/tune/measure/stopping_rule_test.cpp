#include "tune/measure/stopping_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Sampling, finds_exact_times_without_noise) {
  ExactSampler sampler(Times{{1, 5}, {2, 4}, {3, 6}});
  Sampling sampling(sampler, {}, 1);
  EXPECT_NEAR(sampling.measure(1).time, 5, 1e-9);
  EXPECT_NEAR(sampling.measure(2).time, 4, 1e-9);
  EXPECT_EQ(sampling.incumbent(), 2u);
  EXPECT_NEAR(sampling.measure(3).time, 6, 1e-9);
  EXPECT_EQ(sampling.incumbent(), 2u);
  EXPECT_EQ(sampling.play_off()->id, 2u);
}

TEST(Sampling, spends_few_samples_on_what_has_no_hope) {
  ExactSampler sampler(Times{{1, 1}, {2, 10}, {3, 1.001}});
  const StoppingRule rule;
  Sampling sampling(sampler, rule, 1);
  sampling.measure(1);
  sampling.measure(2);
  sampling.measure(3);
  EXPECT_EQ(sampler.samples_of[2], rule.least_pairs);
  EXPECT_EQ(sampler.samples_of[3], rule.most_pairs);
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

TEST(Sampling, keeps_its_scale_among_many_that_are_equally_fast) {
  EqualSampler sampler;
  Sampling sampling(sampler, {}, 1);
  std::vector<double> first, last;
  for (ConfigurationId id = 0; id < 1200; ++id) {
    const double time = sampling.measure(id).time;
    if (id >= 1 && id <= 100) first.push_back(time);
    if (id >= 1100) last.push_back(time);
  }
  std::nth_element(first.begin(), first.begin() + 50, first.end());
  std::nth_element(last.begin(), last.begin() + 50, last.end());
  EXPECT_NEAR(last[50] / first[50], 1, 0.1);
}

TEST(Sampling, passes_failures_on_and_goes_on) {
  ExactSampler sampler(Times{{1, 2}});
  Sampling sampling(sampler, {}, 1);
  EXPECT_EQ(sampling.measure(7).failure, Failure::crash);
  EXPECT_FALSE(sampling.play_off().has_value());
  EXPECT_TRUE(sampling.measure(1).ok());
  EXPECT_EQ(sampling.measure(8).failure, Failure::crash);
  EXPECT_EQ(sampling.play_off()->id, 1u);
}

TEST(Sampling, measures_beside_the_next_best_when_the_incumbent_breaks) {
  ExactSampler sampler(Times{{1, 3}, {2, 2}, {3, 2.5}});
  Sampling sampling(sampler, {}, 1);
  sampling.measure(1);
  sampling.measure(2);
  ASSERT_EQ(sampling.incumbent(), 2u);
  sampler.broken[2] = sampler.samples_of[2];
  EXPECT_NEAR(sampling.measure(3).time, 2.5, 1e-9);
  EXPECT_EQ(sampling.incumbent(), 3u);
  EXPECT_EQ(sampling.play_off()->id, 3u);
}

TEST(Sampling, who_breaks_in_the_play_off_does_not_win_it) {
  ExactSampler sampler(Times{{1, 2}, {2, 1.999}});
  Sampling sampling(sampler, {}, 1);
  sampling.measure(1);
  sampling.measure(2);
  sampler.broken[2] = sampler.samples_of[2] + 2;
  EXPECT_EQ(sampling.play_off()->id, 1u);
}

TEST(Sampling, takes_more_launches_where_a_sample_is_too_short) {
  ExactSampler sampler(Times{{1, 0.001}, {2, 0.002}});
  StoppingRule rule;
  rule.least_sample = 0.1;
  Sampling sampling(sampler, rule, 1);
  EXPECT_NEAR(sampling.measure(1).time, 0.001, 1e-12);
  EXPECT_NEAR(sampling.measure(2).time, 0.002, 1e-12);
  EXPECT_EQ(sampler.longest, 128u);
}

/// Seeds, of `seeds`, in which the winner is truly within 2 % of the best.
std::size_t good_seeds(const NoisySampler::Trouble& trouble, std::size_t seeds) {
  const MeasuredSpace measured = valley();
  std::size_t good = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    NoisySampler sampler(measured, trouble, seed);
    Sampling sampling(sampler, {}, seed);
    for (ConfigurationId id = 0; id < measured.space.size(); ++id) sampling.measure(id);
    good += measured.outcomes[sampling.play_off()->id].time <= 1.02 * measured.fastest;
  }
  return good;
}

TEST(Sampling, finds_the_best_through_noise) { EXPECT_GE(good_seeds({0.2, 0, 1}, 20), 19u); }

TEST(Sampling, is_not_misled_by_a_machine_that_becomes_slower) {
  EXPECT_GE(good_seeds({0.2, 500, 2}, 20), 19u);
  EXPECT_GE(good_seeds({0.02, 300, 2}, 20), 19u);
}

TEST(Sampling, is_not_misled_by_a_machine_that_becomes_faster) {
  EXPECT_GE(good_seeds({0.02, 300, 0.5}, 20), 19u);
}

TEST(Sampling, tells_times_on_the_scale_of_the_start) {
  const MeasuredSpace measured = valley();
  NoisySampler sampler(measured, {0.01, 100, 2}, 3);
  Sampling sampling(sampler, {}, 1);
  for (ConfigurationId id = 0; id < measured.space.size(); ++id) {
    const Outcome told = sampling.measure(id);
    const Outcome& truth = measured.outcomes[id];
    ASSERT_EQ(told.ok(), truth.ok());
    if (truth.ok() && id > 100) {
      EXPECT_NEAR(told.time / truth.time, 1, 0.1);
    }
  }
}

TEST(Sampling, is_the_same_for_the_same_seed) {
  const MeasuredSpace measured = valley();
  const auto run = [&] {
    NoisySampler sampler(measured, {0.2, 100, 2}, 5);
    Sampling sampling(sampler, {}, 6);
    for (ConfigurationId id = 0; id < 60; ++id) sampling.measure(id);
    const auto winner = sampling.play_off();
    return std::pair(winner->id, sampling.samples());
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace kiln::tune
