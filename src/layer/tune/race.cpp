#include "layer/tune/race.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace kiln::layer {

double Race::median_of(const Entrant& entrant) {
  auto times = entrant.times;
  if (times.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  if (times.size() % 2 != 0) return static_cast<double>(*middle);
  return (static_cast<double>(*middle) +
          static_cast<double>(*std::max_element(times.begin(), middle))) /
         2;
}

std::optional<std::size_t> Race::begin(std::size_t entrant) {
  ++entrants_[entrant].begun;
  return entrant;
}

std::optional<std::size_t> Race::next() {
  if (result_ || is_given_up_) return std::nullopt;
  if (!finalist_) {
    // The one with the fewest launches; the incumbent is the first of each round.
    std::size_t first = entrants_.size();
    for (std::size_t i = 0; i < entrants_.size(); ++i)
      if (!entrants_[i].is_out && entrants_[i].begun < trials &&
          (first == entrants_.size() || entrants_[i].begun < entrants_[first].begun))
        first = i;
    return first == entrants_.size() ? std::nullopt : begin(first);
  }
  // A program may launch a kernel by turns with different work: no order of two is in step with it
  // that is, as here, the Thue-Morse sequence's.
  const std::size_t turn = std::popcount(step_++) % 2 == 0 ? 0 : *finalist_;
  for (const std::size_t entrant : {turn, *finalist_ - turn})
    if (entrants_[entrant].begun < final_trials) return begin(entrant);
  return std::nullopt;
}

void Race::add(std::size_t entrant, std::int64_t ns) {
  if (result_ || is_given_up_) return;
  if (entrants_[entrant].warm < warm_ups_) {
    ++entrants_[entrant].warm;
    return lose(entrant);
  }
  entrants_[entrant].times.push_back(ns);
  if (!finalist_) drop_slow();
  judge();
}

void Race::lose(std::size_t entrant) {
  if (entrants_[entrant].begun > entrants_[entrant].times.size()) --entrants_[entrant].begun;
}

void Race::drop(std::size_t candidate) {
  if (candidate == 0 || result_) return;
  entrants_[candidate].is_out = true;
  if (finalist_ == candidate) finalist_.reset();
  judge();
}

double Race::best_median() const {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& entrant : entrants_)
    if (!entrant.is_out) best = std::min(best, median_of(entrant));
  return best;
}

void Race::drop_slow() {
  const double best = best_median();
  for (std::size_t i = 1; i < entrants_.size(); ++i) {
    const auto& times = entrants_[i].times;
    if (times.empty()) continue;
    // One launch may have met something else: the least of them counts.
    const auto least = static_cast<double>(*std::min_element(times.begin(), times.end()));
    if (least > best * (times.size() == 1 ? hopeless : slower)) entrants_[i].is_out = true;
  }
}

void Race::judge() {
  const Entrant& incumbent = entrants_[0];
  if (incumbent.times.size() >= trials && median_of(incumbent) < static_cast<double>(least_ns)) {
    is_given_up_ = true;
    return;
  }
  const auto has_run = [](const Entrant& entrant, std::size_t times) {
    return entrant.is_out || entrant.times.size() >= times;
  };
  const auto sum = [&] {
    std::size_t launches = 0;
    for (const auto& entrant : entrants_) launches += entrant.times.size();
    return launches;
  };
  const auto decide = [&](std::size_t winner) {
    result_ = Result{winner, median_of(incumbent), median_of(entrants_[winner]), sum()};
  };
  if (!finalist_) {
    if (!std::ranges::all_of(entrants_, [&](const auto& one) { return has_run(one, trials); }))
      return;
    std::size_t best = 0;
    for (std::size_t i = 1; i < entrants_.size(); ++i)
      if (!entrants_[i].is_out && median_of(entrants_[i]) < median_of(entrants_[best])) best = i;
    if (best == 0 || median_of(entrants_[best]) > needed * median_of(incumbent)) return decide(0);
    finalist_ = best;
  }
  const Entrant& finalist = entrants_[*finalist_];
  if (!has_run(incumbent, final_trials) || !has_run(finalist, final_trials)) return;
  // Where the work differs from launch to launch a median may fall on either kind; the least times
  // are of the same kind.
  const auto least_of = [](const Entrant& entrant) {
    return static_cast<double>(*std::ranges::min_element(entrant.times));
  };
  const bool is_faster = median_of(finalist) <= needed * median_of(incumbent) &&
                         least_of(finalist) <= needed * least_of(incumbent);
  decide(is_faster ? *finalist_ : 0);
}

}  // namespace kiln::layer
