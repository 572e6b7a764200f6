#include "tune/strategy/forest_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::tune {
namespace {

/// Samples that a forest is fitted to: the fastest, and as many more by chance.
constexpr std::size_t kMostTransferSamples = 3'000;
/// Configurations that one trial stands for, where the source lacks a parameter.
constexpr std::size_t kMostImages = 64;

/// Brings positions in one space to all positions in another that agree in what both have.
class Mapper {
 public:
  Mapper(const SearchSpace& source, const SearchSpace& space) : source_(source), space_(space) {
    for (const Parameter& parameter : space.parameters()) {
      std::size_t at = 0;
      while (at < source.parameters().size() && source.parameters()[at].name != parameter.name)
        ++at;
      from_.push_back(at);
      auto& positions = values_.emplace_back();
      if (at == source.parameters().size()) continue;
      ++common_;
      for (const expr::Value& value : source.parameters()[at].values)
        positions.push_back(position_of(parameter, value));
    }
  }

  std::size_t common() const { return common_; }

  std::vector<ConfigurationId> images(ConfigurationId trial) {
    found_.clear();
    Positions positions(space_.parameters().size());
    choose(trial, positions, 0);
    return found_;
  }

 private:
  void choose(ConfigurationId trial, Positions& positions, std::size_t p) {
    if (found_.size() >= kMostImages) return;
    if (p == positions.size()) {
      if (const auto id = space_.find(positions)) found_.push_back(*id);
      return;
    }
    const std::size_t count = space_.parameters()[p].values.size();
    const bool shared = from_[p] < source_.parameters().size();
    // Few values of what the source does not know: it says nothing of them.
    const std::size_t first = shared ? values_[p][source_.position(trial, from_[p])] : 0;
    const std::size_t last = shared ? first + 1 : std::min<std::size_t>(count, 4);
    for (std::size_t value = first; value < last && value < count; ++value) {
      positions[p] = static_cast<std::uint16_t>(value);
      choose(trial, positions, p + 1);
    }
  }

  const SearchSpace& source_;
  const SearchSpace& space_;
  std::vector<std::size_t> from_;                 ///< the source's parameter, or their count
  std::vector<std::vector<std::size_t>> values_;  ///< position here of each value there
  std::size_t common_ = 0;
  std::vector<ConfigurationId> found_;
};

}  // namespace

Expected<std::shared_ptr<const Transfer>> Transfer::make(const SearchSpace& source,
                                                         std::span<const Trial> trials,
                                                         const SearchSpace& space,
                                                         std::uint64_t seed) {
  std::shared_ptr<Transfer> transfer(new Transfer(space));
  std::vector<double> times;
  for (const Trial& trial : trials)
    if (trial.outcome.ok()) times.push_back(trial.outcome.time);
  if (times.empty())
    return fail(Errc::bad_input, "the other device has no configuration with a time");
  std::sort(times.begin(), times.end());
  const double best = times.front();
  // Far from the best, differences tell nothing of where the best are; failures count as there.
  const double slow = std::log(std::max(times[times.size() / 2] / best, 2.0));
  Mapper mapper(source, space);
  for (const Trial& trial : trials) {
    const bool ok = trial.outcome.ok();
    const double value = ok ? std::min(std::log(trial.outcome.time / best), slow) : slow * 1.2;
    for (const ConfigurationId id : mapper.images(trial.id)) {
      const auto [entry, is_new] = transfer->measured_.emplace(id, static_cast<float>(value));
      if (!is_new) entry->second = std::min(entry->second, static_cast<float>(value));
      if (is_new && ok) transfer->fastest_.push_back(id);
    }
  }
  if (mapper.common() == 0 || transfer->measured_.empty())
    return fail(Errc::bad_input, "the two spaces have no configuration in common");
  transfer->sort(transfer->fastest_);
  transfer->fit(seed);
  return std::shared_ptr<const Transfer>(std::move(transfer));
}

/// The fastest first.
void Transfer::sort(std::vector<ConfigurationId>& ids) const {
  std::sort(ids.begin(), ids.end(), [&](ConfigurationId a, ConfigurationId b) {
    return std::pair(measured_.at(a), a) < std::pair(measured_.at(b), b);
  });
}

void Transfer::fit(std::uint64_t seed) {
  Random random(seed);
  std::vector<ConfigurationId> ids;
  for (const auto& [id, value] : measured_) ids.push_back(id);
  sort(ids);
  // The fastest third of the samples, the rest by chance from what is behind.
  const std::size_t count = std::min(ids.size(), kMostTransferSamples), kept = count / 3;
  for (std::size_t i = kept; i < count; ++i)
    std::swap(ids[i], ids[i + random.below(ids.size() - i)]);
  std::vector<float> samples, targets;
  for (std::size_t i = 0; i < count; ++i) {
    features_.append(ids[i], samples);
    targets.push_back(measured_.at(ids[i]));
  }
  forest_.fit(samples, features_.count(), targets, {}, random);
}

double Transfer::expect(ConfigurationId id) const {
  if (const auto found = measured_.find(id); found != measured_.end()) return found->second;
  std::vector<float> point;
  features_.append(id, point);
  return forest_.estimate(point.data()).mean;
}

namespace {

constexpr std::size_t kInitial = 5;        ///< random ones before there is a model
constexpr std::size_t kTransferred = 8;    ///< the fastest of elsewhere before it
constexpr std::size_t kPool = 1'000;       ///< random candidates of a proposal
constexpr std::size_t kLeaders = 5;        ///< whose neighbours are candidates too
constexpr double kLocal = 0.3;             ///< share of proposals among the best one's neighbours
constexpr std::size_t kMostSamples = 600;  ///< a forest of more would cost more than it tells
constexpr std::size_t kRefit = 50;         ///< refit when the trials have grown by 1/kRefit
/// Share of the trials whose times are told apart.
constexpr double kFastPart = 0.3;
/// An improvement that counts, as a part of the best time: less would make a search dwell.
constexpr double kWorthwhile = 0.02;
/// The fastest of elsewhere that are candidates of every proposal.
constexpr std::size_t kTransferPool = 300;

/// Expected improvement on `best` of a normal distribution (Jones, Schonlau, Welch: Efficient
/// global optimization of expensive black-box functions, 1998).
double expected_improvement(double best, Estimate estimate) {
  const double deviation = std::max(estimate.deviation, 1e-4);
  const double z = (best - estimate.mean) / deviation;
  const double density = std::exp(-0.5 * z * z) * 0.3989422804014327;
  const double below = 0.5 * std::erfc(-z * 0.7071067811865476);
  return deviation * (z * below + density);
}

}  // namespace

ForestSearch::ForestSearch(const SearchSpace& space, std::uint64_t seed,
                           std::shared_ptr<const Transfer> transfer)
    : Strategy(space, seed), features_(space), transfer_(std::move(transfer)) {}

std::optional<ConfigurationId> ForestSearch::propose() {
  const std::size_t wanted = transfer_ ? kTransferred : kInitial;
  if (initial_ < wanted || !history().best()) {
    ++initial_;
    if (const auto id = next_transferred()) return id;
    return history().any_new(random());
  }
  // A refit for each trial while there are few, then when they have grown by 1/kRefit.
  const std::size_t trials = history().trials().size();
  if (fitted_to_ == 0 || trials >= fitted_to_ + 1 + fitted_to_ / kRefit) fit();
  std::optional<ConfigurationId> best;
  double most = -1;
  for (const ConfigurationId id : candidates()) {
    if (history().was_asked(id)) continue;
    const double gain = improvement(id);
    if (gain <= most) continue;
    most = gain;
    best = id;
  }
  return best ? best : history().any_new(random());
}

std::optional<ConfigurationId> ForestSearch::next_transferred() {
  if (!transfer_) return std::nullopt;
  const auto fastest = transfer_->fastest();
  while (transferred_ < fastest.size() && history().was_asked(fastest[transferred_]))
    ++transferred_;
  if (transferred_ == fastest.size()) return std::nullopt;
  return fastest[transferred_];
}

std::vector<double> ForestSearch::targets() const {
  std::vector<double> times;
  for (const Trial& trial : history().trials())
    if (trial.outcome.ok()) times.push_back(std::log(trial.outcome.time));
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  double slow = sorted[static_cast<std::size_t>(kFastPart * static_cast<double>(sorted.size()))];
  // The first of a transfer are all fast: the slow ones among them are not slow.
  if (transfer_) slow = std::max(slow, sorted.front() + std::log(1.5));
  std::vector<double> targets;
  for (const Trial& trial : history().trials()) {
    const bool ok = trial.outcome.ok();
    targets.push_back(ok ? std::min(std::log(trial.outcome.time), slow) : slow);
  }
  return targets;
}

/// All, or the best third of as many as a forest takes and the rest by chance.
std::vector<std::size_t> ForestSearch::chosen_trials() {
  const auto& trials = history().trials();
  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return better(trials[a].outcome, trials[b].outcome);
  });
  leaders_.clear();
  for (std::size_t i = 0; i < std::min(kLeaders, order.size()); ++i)
    leaders_.push_back(trials[order[i]].id);
  if (order.size() <= kMostSamples) return order;
  for (std::size_t i = kMostSamples / 3; i < kMostSamples; ++i)
    std::swap(order[i], order[i + random().below(order.size() - i)]);
  order.resize(kMostSamples);
  return order;
}

void ForestSearch::fit() {
  const auto& trials = history().trials();
  fitted_to_ = trials.size();
  const std::vector<double> target = targets();
  const std::vector<std::size_t> order = chosen_trials();
  best_ = target[order.front()];
  std::vector<double> expected(order.size());
  trust_ = 0;
  if (transfer_) {
    double x = 0, y = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      expected[i] = transfer_->expect(trials[order[i]].id);
      x += expected[i];
      y += target[order[i]];
    }
    const auto n = static_cast<double>(order.size());
    x /= n;
    y /= n;
    // A slope shrunk towards 1, which a few trials do not move.
    double xx = 1, xy = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      xx += (expected[i] - x) * (expected[i] - x);
      xy += (expected[i] - x) * (target[order[i]] - y);
    }
    trust_ = std::clamp(xy / xx, 0.0, 1.0);
  }
  std::vector<float> samples, left;
  for (std::size_t i = 0; i < order.size(); ++i) {
    features_.append(trials[order[i]].id, samples);
    left.push_back(static_cast<float>(target[order[i]] - trust_ * expected[i]));
  }
  forest_.fit(samples, features_.count(), left, {}, random());
}

std::vector<ConfigurationId> ForestSearch::candidates() {
  std::vector<ConfigurationId> ids;
  if (random().unit() < kLocal) {
    add_neighbours(leaders_.front(), ids);
    if (!ids.empty()) return ids;
  }
  if (space().size() <= kPool) {
    for (ConfigurationId id = 0; id < space().size(); ++id) ids.push_back(id);
    return ids;
  }
  for (std::size_t i = 0; i < kPool; ++i) ids.push_back(space().sample(random()));
  for (const ConfigurationId leader : leaders_) add_neighbours(leader, ids);
  if (transfer_) {
    const auto fastest = transfer_->fastest();
    ids.insert(
        ids.end(), fastest.begin(),
        fastest.begin() + static_cast<std::ptrdiff_t>(std::min(kTransferPool, fastest.size())));
  }
  return ids;
}

void ForestSearch::add_neighbours(ConfigurationId of, std::vector<ConfigurationId>& to) const {
  for (const ConfigurationId id : space().neighbours(of))
    if (!history().was_asked(id)) to.push_back(id);
}

double ForestSearch::improvement(ConfigurationId id) {
  point_.clear();
  features_.append(id, point_);
  Estimate estimate = forest_.estimate(point_.data());
  if (transfer_) estimate.mean += trust_ * transfer_->expect(id);
  return expected_improvement(best_ - kWorthwhile, estimate);
}

}  // namespace kiln::tune
