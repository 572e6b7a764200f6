#include "tune/measure/measurement.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::tune {
namespace {

/// A sample is made longer at most so often by a factor of two.
constexpr std::size_t kMostLaunches = std::size_t{1} << 20;
/// Who is looked at after every pair has many chances to be unlucky: a difference counts later.
constexpr double kHopeless = 1.2;

}  // namespace

/// Without the extremes where there are five or more: a machine that changes its speed between the
/// two halves of a pair spoils that pair alone.
double Measurement::Pairs::mean() const {
  std::vector<double> sorted = ratios;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t cut = sorted.size() >= 5 ? 1 : 0;
  double sum = 0;
  for (std::size_t i = cut; i + cut < sorted.size(); ++i) sum += sorted[i];
  return sum / static_cast<double>(sorted.size() - 2 * cut);
}

std::optional<double> Measurement::take(ConfigurationId id, Outcome& failed) {
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
    if (outcome.time < policy_.least_sample && known.launches < kMostLaunches) {
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

Outcome Measurement::measure(ConfigurationId id) {
  return incumbent_ && *incumbent_ != id ? measure_beside(id) : measure_first(id);
}

/// With nothing to stand beside: the median of a few.
Outcome Measurement::measure_first(ConfigurationId id) {
  std::vector<double> levels;
  Outcome failed;
  for (std::size_t i = 0; i < 2 * policy_.least_pairs + 1; ++i) {
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

bool Measurement::add_pair(ConfigurationId id, Pairs& pairs, Outcome& failed) {
  const bool candidate_first = pairs.ratios.size() % 2 == 0;
  const auto a = take(candidate_first ? id : *incumbent_, failed);
  if (!a) return false;
  const auto b = take(candidate_first ? *incumbent_ : id, failed);
  if (!b) return false;
  pairs.ratios.push_back(candidate_first ? *a - *b : *b - *a);
  return true;
}

bool Measurement::pair_anew(ConfigurationId id, Pairs& pairs, Outcome& failed) {
  pairs.ratios.clear();
  while (pairs.ratios.size() < policy_.most_pairs)
    if (!add_pair(id, pairs, failed)) return false;
  learn_noise(pairs);
  return true;
}

Outcome Measurement::measure_beside(ConfigurationId id) {
  Pairs pairs;
  Outcome failed;
  double mean = 0, error = 0;
  bool both_ran = true;
  while (pairs.ratios.size() < policy_.most_pairs) {
    both_ran = add_pair(id, pairs, failed);
    if (!both_ran) break;
    if (pairs.ratios.size() < policy_.least_pairs) continue;
    mean = pairs.mean();
    error = standard_error(pairs.ratios.size());
    // A loser is known by a confident difference. A winner stays for all its pairs.
    if (mean > kHopeless * policy_.confidence * error) break;
  }
  if (both_ran) learn_noise(pairs);
  const auto is_faster = [&] { return mean < -policy_.confidence * error; };
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

std::optional<Measurement::Comparison> Measurement::compare(ConfigurationId id,
                                                            ConfigurationId with) {
  incumbent_ = with;
  Pairs pairs;
  Outcome failed;
  double mean = 0;
  while (pairs.ratios.size() < 2 * policy_.most_pairs) {
    if (!add_pair(id, pairs, failed)) return std::nullopt;
    if (pairs.ratios.size() < policy_.least_pairs) continue;
    mean = pairs.mean();
    const double sure = policy_.confidence * standard_error(pairs.ratios.size());
    if (std::abs(mean) > sure) return Comparison{mean < 0, std::exp(mean)};
  }
  return Comparison{false, std::exp(mean)};
}

double Measurement::standard_error(std::size_t pairs) const {
  return std::sqrt(squares_ / freedom_ / static_cast<double>(pairs));
}

/// Of each candidate's pairs about their own mean, pooled: two pairs alone say nothing of noise.
/// The extremes are left out here too, and their share is made up for.
void Measurement::learn_noise(const Pairs& pairs) {
  if (pairs.ratios.size() < 2) return;
  std::vector<double> distances;
  const double mean = pairs.mean();
  for (const double ratio : pairs.ratios) distances.push_back((ratio - mean) * (ratio - mean));
  std::sort(distances.begin(), distances.end());
  const bool trimmed = distances.size() >= 5;
  if (trimmed) distances.pop_back();
  for (const double distance : distances) squares_ += distance * (trimmed ? 1.3 : 1.0);
  freedom_ += static_cast<double>(distances.size()) - 1;
}

/// The next best takes its place, or nobody.
void Measurement::drop_incumbent() {
  known_[*incumbent_].ok = false;
  incumbent_.reset();
  for (const auto& [id, known] : known_) {
    if (!known.ok || known.error == 0) continue;
    const bool is_best = !incumbent_ || known.level < known_[*incumbent_].level ||
                         (known.level == known_[*incumbent_].level && id < *incumbent_);
    if (is_best) incumbent_ = id;
  }
}

}  // namespace kiln::tune
