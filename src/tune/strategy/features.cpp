#include "tune/strategy/features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

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
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
      numbers.push_back(numeric ? *parameter.values[i].to_double() : static_cast<double>(i));
    }
    if (!numeric || numbers.size() < 3) continue;
    const bool natural = std::all_of(numbers.begin(), numbers.end(), is_natural);
    if (natural && !std::all_of(numbers.begin(), numbers.end(), is_power_of_two)) {
      twos_.push_back(p);
    }
    if (*std::min_element(numbers.begin(), numbers.end()) >= 0) paired.push_back(p);
  }
  for (std::size_t i = 0; i < paired.size(); ++i) {
    for (std::size_t j = 0; j < i && pairs_.size() < kMostPairs; ++j) {
      pairs_.push_back({paired[j], paired[i]});
    }
  }
}

void Features::append(ConfigurationId id, std::vector<float>& to) const {
  const std::size_t first = to.size();
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    to.push_back(static_cast<float>(parameters_[p][space_->position(id, p)]));
  }
  for (const std::size_t p : twos_) to.push_back(static_cast<float>(twos_in(to[first + p])));
  for (const Pair pair : pairs_) {
    const float a = to[first + pair.first], b = to[first + pair.second];
    to.push_back(a * b);
    to.push_back(b > 0 ? a / b : -1);
  }
}

}  // namespace kiln::tune
