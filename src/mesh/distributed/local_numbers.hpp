#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "mesh/distributed/mesh_rows.hpp"

namespace kiln::mesh {

/// From global numbers to local ones, of a set whose owned elements have their order: core, other
/// owned ones, halo.
class LocalNumbers {
 public:
  explicit LocalNumbers(const SetRows& set) : numbers_(sorted(set, local_)), index_(numbers_) {}
  LocalNumbers(LocalNumbers&&) = default;  // the list stays where it is

  /// -1: it is not here.
  std::int32_t of(std::int64_t number) const {
    const auto at = index_.find(number);
    return at < 0 ? -1 : local_[static_cast<std::size_t>(at)];
  }

 private:
  static std::vector<std::int64_t> sorted(const SetRows& set, std::vector<std::int32_t>& local) {
    // Owned numbers rise; those of the halo go between them.
    const std::size_t owned = set.numbers.size();
    std::vector<std::int32_t> of_place(owned), copies(set.halo.size());
    for (std::size_t at = 0; at < owned; ++at)
      of_place[static_cast<std::size_t>(set.order[at])] = static_cast<std::int32_t>(at);
    std::iota(copies.begin(), copies.end(), 0);
    const auto number_of = [&](std::int32_t copy) {
      return set.halo[static_cast<std::size_t>(copy)].number;
    };
    std::sort(copies.begin(), copies.end(),
              [&](std::int32_t a, std::int32_t b) { return number_of(a) < number_of(b); });
    std::vector<std::int64_t> rising;
    rising.reserve(set.total());
    local.reserve(set.total());
    auto copy = copies.begin();
    const auto add_copies_below = [&](std::int64_t end) {
      for (; copy != copies.end() && number_of(*copy) < end; ++copy) {
        rising.push_back(number_of(*copy));
        local.push_back(static_cast<std::int32_t>(owned) + *copy);
      }
    };
    for (std::size_t place = 0; place < owned; ++place) {
      add_copies_below(set.numbers[place]);
      rising.push_back(set.numbers[place]);
      local.push_back(of_place[place]);
    }
    add_copies_below(set.blocks->size());
    return rising;
  }

  std::vector<std::int32_t> local_;  // before those that are made with it
  std::vector<std::int64_t> numbers_;
  NumberIndex index_;
};

}  // namespace kiln::mesh
