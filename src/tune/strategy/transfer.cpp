#include "tune/strategy/transfer.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::tune {
namespace {

/// Samples that a forest is fitted to: the fastest, and as many more by chance.
constexpr std::size_t kMostSamples = 3'000;
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
      for (const expr::Value& value : source.parameters()[at].values) {
        positions.push_back(position_of(parameter, value));
      }
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
  double best = 0;
  std::vector<double> times;
  for (const Trial& trial : trials) {
    if (trial.outcome.ok()) times.push_back(trial.outcome.time);
  }
  if (times.empty())
    return fail(Errc::bad_input, "the other device has no configuration with a time");
  std::sort(times.begin(), times.end());
  best = times.front();
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
  if (mapper.common() == 0 || transfer->measured_.empty()) {
    return fail(Errc::bad_input, "the two spaces have no configuration in common");
  }
  const auto& measured = transfer->measured_;
  std::sort(transfer->fastest_.begin(), transfer->fastest_.end(),
            [&](ConfigurationId a, ConfigurationId b) {
              const float x = measured.at(a), y = measured.at(b);
              return x != y ? x < y : a < b;
            });
  transfer->fit(seed);
  return std::shared_ptr<const Transfer>(std::move(transfer));
}

void Transfer::fit(std::uint64_t seed) {
  Random random(seed);
  std::vector<ConfigurationId> ids;
  for (const auto& [id, value] : measured_) ids.push_back(id);
  std::sort(ids.begin(), ids.end(), [&](ConfigurationId a, ConfigurationId b) {
    const float x = measured_.at(a), y = measured_.at(b);
    return x != y ? x < y : a < b;
  });
  // The fastest third of the samples, the rest by chance from what is behind.
  const std::size_t count = std::min(ids.size(), kMostSamples), kept = count / 3;
  for (std::size_t i = kept; i < count; ++i) {
    std::swap(ids[i], ids[i + random.below(ids.size() - i)]);
  }
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

}  // namespace kiln::tune
