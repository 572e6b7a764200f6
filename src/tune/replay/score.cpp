#include "tune/replay/score.hpp"

#include <algorithm>

namespace kiln::tune {
namespace {

constexpr double kPartOfTheWay = 0.95;

/// The mean of the least of `draws` of these ascending times, drawn without putting back. The
/// chance that the least is the i-th follows from that of the i-1 before it not being drawn.
double mean_of_least(const std::vector<double>& ascending, std::size_t draws) {
  const auto n = static_cast<double>(ascending.size()), k = static_cast<double>(draws);
  double none_before = 1, mean = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const double left = n - static_cast<double>(i);
    const double chance = std::min(k / left, 1.0);  // that the i-th is drawn, if none before was
    mean += none_before * chance * ascending[i];
    none_before *= 1 - chance;
    if (none_before < 1e-12) break;
  }
  return mean;
}

}  // namespace

RandomBaseline::RandomBaseline(std::span<const Outcome> outcomes) {
  std::vector<double> times;
  for (const Outcome& outcome : outcomes) {
    if (outcome.ok()) times.push_back(outcome.time);
  }
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  optimum_ = times.front();
  slowest_ = times.back();
  const double median = times[times.size() / 2];
  const double aim = median - kPartOfTheWay * (median - optimum_);
  times.resize(outcomes.size(), slowest_);
  do {
    expected_.push_back(mean_of_least(times, expected_.size() + 1));
  } while (expected_.back() > aim && expected_.size() < times.size());
}

double RandomBaseline::score(std::span<const Trial> trials) const {
  double best = slowest_, sum = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (i < trials.size() && trials[i].outcome.ok()) best = std::min(best, trials[i].outcome.time);
    const double room = expected_[i] - optimum_;
    if (room <= 0) continue;  // random is there as well
    sum += (expected_[i] - best) / room;
    ++counted;
  }
  return counted == 0 ? 0 : sum / static_cast<double>(counted);
}

}  // namespace kiln::tune
