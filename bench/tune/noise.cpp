// A bad machine: every sample is off by up to 20 %, and in mid-run all becomes twice as slow.
#include <fmt/format.h>

#include "tune/bars.hpp"
#include "tune/measure/stopping_rule.hpp"
#include "tune/measured.hpp"
#include "tune/replay/measured_space.hpp"
#include "tune/strategy/strategy.hpp"

namespace kiln::bench {
namespace {

constexpr std::size_t kSeeds = 100, kEvaluations = 150;
/// About half of the samples that the search itself takes.
constexpr tune::NoisySampler::Trouble kTrouble{0.2, 600, 2};
constexpr double kNear = 1.02;

/// True time of the winner over that of the best that was evaluated.
double loss(const tune::MeasuredSpace& measured, std::uint64_t seed, std::size_t& samples) {
  tune::NoisySampler sampler(measured, kTrouble, seed);
  tune::Sampling measurement(sampler, {}, seed);
  const auto strategy = value_or_throw(tune::make_strategy("", measured.space, seed));
  double best = 0;
  for (std::size_t i = 0; i < kEvaluations; ++i) {
    const auto id = strategy->ask();
    if (!id) break;
    strategy->tell(*id, measurement.measure(*id));
    const auto& truth = measured.outcomes[*id];
    if (truth.ok() && (best == 0 || truth.time < best)) best = truth.time;
  }
  const auto winner = measurement.play_off();
  samples += measurement.samples();
  return winner ? measured.outcomes[winner->id].time / best : 1e9;
}

Outcome near_best(const Context& context, const measured::Pair& pair) {
  const auto measured = measured::space(context, pair);
  if (!measured) return not_measured(measured.error());
  std::size_t near = 0, samples = 0;
  double worst = 0;
  for (std::size_t seed = 1; seed <= kSeeds; ++seed) {
    const double factor = loss(**measured, seed, samples);
    near += factor <= kNear;
    worst = std::max(worst, factor);
  }
  return Figure{static_cast<double>(near),
                fmt::format("of {} seeds; worst {:.3f}; {} evaluations in {} samples", kSeeds,
                            worst, kEvaluations, samples / kSeeds)};
}

}  // namespace

std::vector<Bar> noise_bars() {
  std::vector<Bar> bars;
  for (const measured::Pair& pair : measured::hub_spaces()) {
    bars.push_back({measured::bar_name("noise", pair),
                    "seeds whose winner is truly within 2 % of the best evaluated, with 20 % noise "
                    "and a slow-down by 2",
                    Holds::at_least, 95, "seeds",
                    [&pair](const Context& context) { return near_best(context, pair); }});
  }
  return bars;
}

}  // namespace kiln::bench
