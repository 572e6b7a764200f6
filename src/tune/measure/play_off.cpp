#include <algorithm>
#include <cmath>

#include "tune/measure/measurement.hpp"

namespace kiln::tune {
namespace {

constexpr std::size_t kLeastRounds = 8;
/// Standard errors: who is looked at after every round has many chances to be unlucky.
constexpr double kSurely = 3.5;
/// Parts of the confidence: the best level is the luckiest of many.
constexpr double kPerhaps = 1.5;

/// The levels that one finalist had, round by round, relative to its round's median.
struct Finalist {
  ConfigurationId id = 0;
  std::vector<double> levels;
  double sum = 0;
  double mean() const { return sum / static_cast<double>(levels.size()); }
};

/// Mean and standard error of what one has above another, round by round.
struct Gap {
  double mean = 0, error = 0;
};

Gap gap(const Finalist& one, const Finalist& other) {
  const auto n = static_cast<double>(one.levels.size());
  Gap gap;
  gap.mean = one.mean() - other.mean();
  double squares = 0;
  for (std::size_t i = 0; i < one.levels.size(); ++i) {
    const double off = one.levels[i] - other.levels[i] - gap.mean;
    squares += off * off;
  }
  // Few rounds say little of their own spread: the quantiles of Student's t, nearly.
  gap.error = std::sqrt(squares / (n - 1) / n) * (1 + 3 / n);
  return gap;
}

/// All that ran to their end, by their times beside the winner's in the rounds that both were in.
std::vector<Measurement::Place> places_of(const std::vector<Finalist>& finalists,
                                          const Finalist& winner) {
  std::vector<Measurement::Place> places;
  for (const Finalist& one : finalists) {
    double sum = 0;
    for (std::size_t i = 0; i < one.levels.size(); ++i) sum += one.levels[i] - winner.levels[i];
    const auto rounds = static_cast<double>(std::max<std::size_t>(one.levels.size(), 1));
    places.push_back({one.id, std::exp(sum / rounds), one.levels.size()});
  }
  std::stable_sort(places.begin(), places.end(), [&](const auto& a, const auto& b) {
    if ((a.id == winner.id) != (b.id == winner.id)) return a.id == winner.id;
    return a.relative < b.relative;
  });
  return places;
}

}  // namespace

/// Those that might be the best: within the confidence of their levels and the best one's.
std::vector<ConfigurationId> Measurement::finalists() const {
  const Known& best = known_.at(*incumbent_);
  std::vector<ConfigurationId> ids;
  double least = best.level;
  for (const auto& [id, known] : known_) {
    if (known.ok && known.error > 0) least = std::min(least, known.level);
  }
  for (const auto& [id, known] : known_) {
    if (!known.ok || known.error == 0) continue;
    const double error = std::hypot(known.error, best.error);
    if (id == *incumbent_ ||
        known.level - least <= kPerhaps * policy_.confidence * error + policy_.tolerance) {
      ids.push_back(id);
    }
  }
  std::sort(ids.begin(), ids.end(), [&](ConfigurationId a, ConfigurationId b) {
    const double x = known_.at(a).level, y = known_.at(b).level;
    return x != y ? x < y : a < b;
  });
  if (ids.size() > policy_.finalists) ids.resize(policy_.finalists);
  return ids;
}

std::optional<Measurement::Winner> Measurement::play_off(Haste haste) {
  if (!incumbent_) return std::nullopt;
  if (haste == Haste::yes)
    return Winner{*incumbent_, std::exp(known_[*incumbent_].level), 1, 0, {}};
  const std::vector<ConfigurationId> ids = finalists();
  std::vector<Finalist> left, beaten;
  for (const ConfigurationId id : ids) left.push_back({id, {}, 0});
  std::size_t rounds = 0;
  for (bool decided = left.size() < 2 || haste == Haste::yes;
       !decided && rounds < policy_.most_rounds;) {
    for (std::size_t i = left.size(); i > 1; --i) std::swap(left[i - 1], left[random_.below(i)]);
    std::vector<double> levels;
    for (std::size_t i = 0; i < left.size();) {
      Outcome failed;
      const auto level = take(left[i].id, failed);
      if (level) {
        levels.push_back(*level);
        ++i;
      } else {
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (left.size() < 2) break;
    ++rounds;
    std::vector<double> sorted = levels;
    std::nth_element(sorted.begin(),
                     sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    const double middle = sorted[sorted.size() / 2];
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i].levels.push_back(levels[i] - middle);
      left[i].sum += levels[i] - middle;
    }
    if (rounds < kLeastRounds) continue;
    const Finalist leader =
        *std::min_element(left.begin(), left.end(),
                          [](const Finalist& a, const Finalist& b) { return a.mean() < b.mean(); });
    decided = true;
    std::erase_if(left, [&](const Finalist& finalist) {
      if (finalist.id == leader.id) return false;
      const Gap above = gap(finalist, leader);
      if (above.mean > kSurely * above.error) {
        beaten.push_back(finalist);
        return true;
      }
      // Left in, and perhaps faster than the leader by more than may be given away.
      decided &= policy_.confidence * above.error - above.mean <= policy_.tolerance;
      return false;
    });
    decided |= left.size() < 2;
  }
  if (left.empty()) {
    if (incumbent_ && !known_[*incumbent_].ok) drop_incumbent();
    return incumbent_ ? play_off(haste) : std::nullopt;
  }
  const auto winner =
      std::min_element(left.begin(), left.end(), [](const Finalist& a, const Finalist& b) {
        return a.levels.empty() || b.levels.empty() ? false : a.mean() < b.mean();
      });
  incumbent_ = winner->id;
  beaten.insert(beaten.end(), left.begin(), left.end());
  return Winner{winner->id, std::exp(known_[winner->id].level), ids.size(), rounds,
                places_of(beaten, *winner)};
}

}  // namespace kiln::tune
