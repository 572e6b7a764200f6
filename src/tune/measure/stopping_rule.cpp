#include "tune/measure/stopping_rule.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::tune {
namespace {

/// A sample is made longer at most so often by a factor of two.
constexpr std::size_t kMostLaunches = std::size_t{1} << 20;
/// Of so many values the extremes are left out.
constexpr std::size_t kTrimmed = 5;
/// A candidate that is tested after every pair has many chances to be unlucky, so that giving it up
/// takes a larger difference than the confidence alone asks for.
constexpr double kHopeless = 1.2;

}  // namespace

/// Without the extremes where there are enough: a machine that changes its speed between the
/// two halves of a pair spoils that pair alone.
double Sampling::Pairs::mean() const {
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t cut = sorted.size() >= kTrimmed ? 1 : 0;
  double sum = 0;
  for (std::size_t i = cut; i + cut < sorted.size(); ++i) sum += sorted[i];
  return sum / static_cast<double>(sorted.size() - 2 * cut);
}

std::optional<double> Sampling::take(ConfigurationId id, Outcome& failed) {
  Known& known = known_[id];
  while (true) {
    ++samples_;
    const Outcome outcome = sampler_.sample(id, known.launches);
    if (!outcome.ok()) {
      failed = outcome;
      known.ok = false;
      return std::nullopt;
    }
    // Too short to be true, or to be told from the clock's own steps: more work a sample.
    if (outcome.time < rule_.least_sample && known.launches < kMostLaunches) {
      known.launches *= 2;
      continue;
    }
    if (!(outcome.time > 0)) {
      failed = Outcome::of(Failure::launch);
      known.ok = false;
      return std::nullopt;
    }
    return std::log(outcome.time / static_cast<double>(known.launches));
  }
}

Outcome Sampling::measure(ConfigurationId id) {
  return incumbent_ && *incumbent_ != id ? measure_in_pairs(id) : measure_first(id);
}

/// There is no incumbent to compare with: the median of a few samples.
Outcome Sampling::measure_first(ConfigurationId id) {
  std::vector<double> levels;
  Outcome failed;
  for (std::size_t i = 0; i < 2 * rule_.least_pairs + 1; ++i) {
    const auto level = take(id, failed);
    if (!level) {
      if (incumbent_ == id) drop_incumbent();
      return failed;
    }
    levels.push_back(*level);
  }
  std::sort(levels.begin(), levels.end());
  Known& known = known_[id];
  known.level = levels[levels.size() / 2];
  known.error = standard_error(levels.size());
  incumbent_ = id;
  return Outcome::of_time(std::exp(known.level));
}

bool Sampling::add_pair(ConfigurationId id, Pairs& pairs, Outcome& failed) {
  const bool candidate_first = pairs.ratios.size() % 2 == 0;
  const auto a = take(candidate_first ? id : *incumbent_, failed);
  if (!a) return false;
  const auto b = take(candidate_first ? *incumbent_ : id, failed);
  if (!b) return false;
  pairs.ratios.push_back(candidate_first ? *a - *b : *b - *a);
  return true;
}

bool Sampling::pair_anew(ConfigurationId id, Pairs& pairs, Outcome& failed) {
  pairs.ratios.clear();
  while (pairs.ratios.size() < rule_.most_pairs)
    if (!add_pair(id, pairs, failed)) return false;
  learn_noise(pairs);
  return true;
}

Outcome Sampling::measure_in_pairs(ConfigurationId id) {
  Pairs pairs;
  Outcome failed;
  double mean = 0, error = 0;
  bool both_ran = true;
  while (pairs.ratios.size() < rule_.most_pairs) {
    both_ran = add_pair(id, pairs, failed);
    if (!both_ran) break;
    if (pairs.ratios.size() < rule_.least_pairs) continue;
    mean = pairs.mean();
    error = standard_error(pairs.ratios.size());
    // A loser is known by a confident difference. A winner stays for all its pairs.
    if (mean > kHopeless * rule_.confidence * error) break;
  }
  if (both_ran) learn_noise(pairs);
  const auto is_faster = [&] { return mean < -rule_.confidence * error; };
  bool leads = both_ran && is_faster();
  if (leads) {
    both_ran = pair_anew(id, pairs, failed);
    if (both_ran) {
      mean = pairs.mean();
      error = standard_error(pairs.ratios.size());
    }
    leads = both_ran && is_faster();
  }
  if (!both_ran) {
    if (!known_[id].ok) return failed;
    drop_incumbent();  // it worked before and does not now: the candidate starts over
    return measure(id);
  }
  Known& known = known_[id];
  known.level = known_[*incumbent_].level + mean;
  known.error = error;
  if (leads) incumbent_ = id;
  return Outcome::of_time(std::exp(known.level));
}

std::optional<Sampling::Comparison> Sampling::compare(ConfigurationId id, ConfigurationId with) {
  incumbent_ = with;
  Pairs pairs;
  Outcome failed;
  double mean = 0;
  // People are told this ratio. With so many pairs the extremes are left out, so that it is not
  // made by one pair during which another process took the processor.
  const std::size_t least = std::max(rule_.least_pairs, kTrimmed);
  while (pairs.ratios.size() < std::max(2 * rule_.most_pairs, least)) {
    if (!add_pair(id, pairs, failed)) return std::nullopt;
    if (pairs.ratios.size() < least) continue;
    mean = pairs.mean();
    const double sure = rule_.confidence * standard_error(pairs.ratios.size());
    if (std::abs(mean) > sure) return Comparison{mean < 0, std::exp(mean)};
  }
  return Comparison{false, std::exp(mean)};
}

double Sampling::standard_error(std::size_t pairs) const {
  return std::sqrt(squares_ / freedom_ / static_cast<double>(pairs));
}

/// Of each candidate's pairs about their own mean, pooled: two pairs alone say nothing of noise.
/// The extremes are left out here too, and their share is made up for.
void Sampling::learn_noise(const Pairs& pairs) {
  if (pairs.ratios.size() < 2) return;
  std::vector<double> distances;
  const double mean = pairs.mean();
  for (const double ratio : pairs.ratios) distances.push_back((ratio - mean) * (ratio - mean));
  std::sort(distances.begin(), distances.end());
  const bool trimmed = distances.size() >= kTrimmed;
  if (trimmed) distances.pop_back();
  for (const double distance : distances) squares_ += distance * (trimmed ? 1.3 : 1.0);
  freedom_ += static_cast<double>(distances.size()) - 1;
}

/// The next best takes its place, if there is one.
void Sampling::drop_incumbent() {
  known_[*incumbent_].ok = false;
  incumbent_.reset();
  for (const auto& [id, known] : known_) {
    if (!known.ok || known.error == 0) continue;
    const bool is_best = !incumbent_ || known.level < known_[*incumbent_].level ||
                         (known.level == known_[*incumbent_].level && id < *incumbent_);
    if (is_best) incumbent_ = id;
  }
}

// The play-off.

namespace {

/// Rounds before the first finalist may leave.
constexpr std::size_t kLeastRounds = 8;
/// Standard errors by which a finalist must be slower to leave: one that is tested after every
/// round has many chances to be unlucky.
constexpr double kSurely = 3.5;
/// Parts of the confidence: the best level is the luckiest of many.
constexpr double kPerhaps = 1.5;

/// The levels that one finalist had, round by round, relative to its round's median.
struct Contender {
  ConfigurationId id = 0;
  std::vector<double> levels;
  double sum = 0;
  double mean() const { return sum / static_cast<double>(levels.size()); }
};

/// Mean and standard error of what one has above another, round by round.
struct Gap {
  double mean = 0, error = 0;
};

Gap gap(const Contender& one, const Contender& other) {
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

/// All that ran to their end, by their times relative to the winner's in the rounds that both were
/// in.
std::vector<Sampling::Finalist> places_of(const std::vector<Contender>& all,
                                          const Contender& winner) {
  std::vector<Sampling::Finalist> places;
  for (const Contender& one : all) {
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
std::vector<ConfigurationId> Sampling::finalists() const {
  const Known& best = known_.at(*incumbent_);
  std::vector<ConfigurationId> ids;
  double least = best.level;
  for (const auto& [id, known] : known_)
    if (known.ok && known.error > 0) least = std::min(least, known.level);
  for (const auto& [id, known] : known_) {
    if (!known.ok || known.error == 0) continue;
    const double error = std::hypot(known.error, best.error);
    if (id == *incumbent_ ||
        known.level - least <= kPerhaps * rule_.confidence * error + rule_.tolerance)
      ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](ConfigurationId a, ConfigurationId b) {
    const double x = known_.at(a).level, y = known_.at(b).level;
    return x != y ? x < y : a < b;
  });
  if (ids.size() > rule_.finalists) ids.resize(rule_.finalists);
  return ids;
}

std::optional<Sampling::Winner> Sampling::play_off(Haste haste) {
  if (!incumbent_) return std::nullopt;
  if (haste == Haste::yes)
    return Winner{*incumbent_, std::exp(known_[*incumbent_].level), 1, 0, {}};
  const std::vector<ConfigurationId> ids = finalists();
  std::vector<Contender> left, beaten;
  for (const ConfigurationId id : ids) left.push_back({id, {}, 0});
  std::size_t rounds = 0;
  for (bool decided = left.size() < 2; !decided && rounds < rule_.most_rounds;) {
    random_.shuffle(left);
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
    const Contender leader = *std::min_element(
        left.begin(), left.end(),
        [](const Contender& a, const Contender& b) { return a.mean() < b.mean(); });
    decided = true;
    std::erase_if(left, [&](const Contender& finalist) {
      if (finalist.id == leader.id) return false;
      const Gap above = gap(finalist, leader);
      if (above.mean > kSurely * above.error) {
        beaten.push_back(finalist);
        return true;
      }
      // Left in, and perhaps faster than the leader by more than may be given away.
      decided &= rule_.confidence * above.error - above.mean <= rule_.tolerance;
      return false;
    });
    decided |= left.size() < 2;
  }
  if (left.empty()) {
    if (incumbent_ && !known_[*incumbent_].ok) drop_incumbent();
    return incumbent_ ? play_off(haste) : std::nullopt;
  }
  const auto winner =
      std::min_element(left.begin(), left.end(), [](const Contender& a, const Contender& b) {
        return a.levels.empty() || b.levels.empty() ? false : a.mean() < b.mean();
      });
  incumbent_ = winner->id;
  beaten.insert(beaten.end(), left.begin(), left.end());
  return Winner{winner->id, std::exp(known_[winner->id].level), ids.size(), rounds,
                places_of(beaten, *winner)};
}

}  // namespace kiln::tune
