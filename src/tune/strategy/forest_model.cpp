#include "tune/strategy/forest_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace kiln::tune {
namespace {

/// Products of very many parameters would cost more than they tell.
constexpr std::size_t kMostPairs = 120;

bool is_numeric(const Parameter& parameter) {
  return std::all_of(parameter.values.begin(), parameter.values.end(),
                     [](const expr::Value& value) { return value.is_number(); });
}

bool is_natural(double value) { return value >= 0 && value < 0x1p53 && value == std::floor(value); }

bool is_power_of_two(double value) {
  return value >= 1 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

double twos_in(double value) {
  constexpr double all = 53;  // of 0
  return value > 0 ? std::countr_zero(static_cast<std::uint64_t>(value)) : all;
}

}  // namespace

Features::Features(const SearchSpace& space) : space_(&space) {
  std::vector<std::size_t> paired;
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    const Parameter& parameter = space.parameters()[p];
    const bool numeric = is_numeric(parameter);
    auto& numbers = parameters_.emplace_back();
    for (std::size_t i = 0; i < parameter.values.size(); ++i)
      numbers.push_back(numeric ? *parameter.values[i].to_double() : static_cast<double>(i));
    if (!numeric || numbers.size() < 3) continue;
    const bool natural = std::all_of(numbers.begin(), numbers.end(), is_natural);
    if (natural && !std::all_of(numbers.begin(), numbers.end(), is_power_of_two))
      twos_.push_back(p);
    if (*std::min_element(numbers.begin(), numbers.end()) >= 0) paired.push_back(p);
  }
  for (std::size_t i = 0; i < paired.size(); ++i)
    for (std::size_t j = 0; j < i && pairs_.size() < kMostPairs; ++j)
      pairs_.push_back({paired[j], paired[i]});
}

void Features::append(ConfigurationId id, std::vector<float>& to) const {
  const std::size_t first = to.size();
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    to.push_back(static_cast<float>(parameters_[p][space_->position(id, p)]));
  for (const std::size_t p : twos_) to.push_back(static_cast<float>(twos_in(to[first + p])));
  for (const Pair pair : pairs_) {
    const float a = to[first + pair.first], b = to[first + pair.second];
    to.push_back(a * b);
    to.push_back(b > 0 ? a / b : -1);
  }
}

/// Grows one tree after the other over the same samples.
class ExtraTrees::Grower {
 public:
  Grower(std::span<const float> samples, std::size_t features, std::span<const float> targets,
         const Shape& shape, Random& random, std::vector<Node>& nodes)
      : targets_(targets),
        random_(random),
        nodes_(nodes),
        columns_(samples.size()),
        ordered_(targets.size()),
        order_(targets.size()),
        features_(features) {
    for (std::size_t i = 0; i < targets.size(); ++i)
      for (std::size_t f = 0; f < features; ++f)
        columns_[f * targets.size() + i] = samples[i * features + f];
    std::iota(features_.begin(), features_.end(), 0u);
    std::iota(order_.begin(), order_.end(), 0u);
    const auto share =
        static_cast<std::size_t>(std::ceil(shape.features * static_cast<double>(features)));
    tries_ = std::min(std::max<std::size_t>(share, 1), shape.most_features);
  }

  std::uint32_t grow() { return grow(0, order_.size()); }

 private:
  float feature(std::uint32_t sample, std::uint32_t feature) const {
    return columns_[feature * targets_.size() + sample];
  }

  /// The node for the samples order_[begin, end), its parts behind it. Recursion: each level
  /// takes at least one sample away, and samples are few.
  std::uint32_t grow(std::size_t begin, std::size_t end) {
    const auto at = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    double sum = 0;
    float least = targets_[order_[begin]], most = least;
    for (std::size_t i = begin; i < end; ++i) {
      const float target = targets_[order_[i]];
      ordered_[i] = target;
      sum += target;
      least = std::min(least, target);
      most = std::max(most, target);
    }
    nodes_[at].mean = static_cast<float>(sum / static_cast<double>(end - begin));
    if (most - least < 1e-6f) return at;
    const Split split = choose(begin, end, sum);
    if (split.feature < 0) return at;
    const auto first = order_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = order_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto middle = std::partition(first, last, [&](std::uint32_t sample) {
      return feature(sample, static_cast<std::uint32_t>(split.feature)) < split.threshold;
    });
    const auto cut = begin + static_cast<std::size_t>(middle - first);
    nodes_[at].feature = split.feature;
    nodes_[at].threshold = split.threshold;
    grow(begin, cut);
    const std::uint32_t above = grow(cut, end);
    nodes_[at].above = above;
    return at;
  }

  /// The best of one random threshold for each of some random features.
  Split choose(std::size_t begin, std::size_t end, double sum) {
    Split best;
    std::size_t looked = 0;
    for (std::size_t i = 0; i < features_.size() && looked < tries_; ++i) {
      std::swap(features_[i], features_[i + random_.below(features_.size() - i)]);
      const Split split = cut(features_[i], begin, end, sum);
      if (split.feature < 0) continue;  // the same for all these samples
      ++looked;
      if (split.gain > best.gain) best = split;
    }
    return best;
  }

  /// A threshold between the values of two random samples: evenly between the extremes would
  /// hardly ever separate small values of a parameter that doubles.
  Split cut(std::uint32_t feature, std::size_t begin, std::size_t end, double sum) {
    const std::size_t count = end - begin;
    float low = this->feature(order_[begin + random_.below(count)], feature);
    float high = this->feature(order_[begin + random_.below(count)], feature);
    if (low == high) {
      for (std::size_t i = begin; i < end; ++i) {
        low = std::min(low, this->feature(order_[i], feature));
        high = std::max(high, this->feature(order_[i], feature));
      }
      if (low == high) return {};
    }
    if (low > high) std::swap(low, high);
    float threshold = low + (high - low) * static_cast<float>(random_.unit());
    if (!(threshold > low)) threshold = high;
    // The innermost loop of a search: without branches, which no processor could foresee here.
    const float* const column = &columns_[feature * targets_.size()];
    float below_sum = 0;
    std::uint32_t below = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_below = column[order_[i]] < threshold;
      below_sum += is_below ? ordered_[i] : 0.0f;
      below += is_below;
    }
    const std::size_t above = count - below;
    const double above_sum = sum - below_sum;
    const double gain = double{below_sum} * below_sum / below +
                        above_sum * above_sum / static_cast<double>(above) -
                        sum * sum / static_cast<double>(count);
    return {gain, static_cast<std::int32_t>(feature), threshold};
  }

  std::span<const float> targets_;
  Random& random_;
  std::vector<Node>& nodes_;
  std::vector<float> columns_;  ///< feature by feature
  std::vector<float> ordered_;  ///< targets, of the node that is being split in its order
  std::vector<std::uint32_t> order_, features_;
  std::size_t tries_ = 1;
};

void ExtraTrees::fit(std::span<const float> samples, std::size_t features,
                     std::span<const float> targets, const Shape& shape, Random& random) {
  nodes_.clear();
  roots_.clear();
  Grower grower(samples, features, targets, shape, random, nodes_);
  for (std::size_t i = 0; i < shape.trees; ++i) roots_.push_back(grower.grow());
}

Estimate ExtraTrees::estimate(const float* point) const {
  double sum = 0, squares = 0;
  for (std::uint32_t at : roots_) {
    while (nodes_[at].feature >= 0)
      at = point[nodes_[at].feature] < nodes_[at].threshold ? at + 1 : nodes_[at].above;
    sum += nodes_[at].mean;
    squares += static_cast<double>(nodes_[at].mean) * nodes_[at].mean;
  }
  const auto count = static_cast<double>(roots_.size());
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0))};
}

}  // namespace kiln::tune
