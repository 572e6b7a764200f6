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
    std::vector<std::int64_t> all;
    all.reserve(set.total());
    for (const std::int32_t place : set.order)
      all.push_back(set.numbers[static_cast<std::size_t>(place)]);
    for (const auto& copy : set.halo) all.push_back(copy.number);
    local.resize(all.size());
    std::iota(local.begin(), local.end(), 0);
    std::sort(local.begin(), local.end(), [&](std::int32_t a, std::int32_t b) {
      return all[static_cast<std::size_t>(a)] < all[static_cast<std::size_t>(b)];
    });
    std::vector<std::int64_t> rising;
    rising.reserve(all.size());
    for (const std::int32_t at : local) rising.push_back(all[static_cast<std::size_t>(at)]);
    return rising;
  }

  std::vector<std::int32_t> local_;  // before those that are made with it
  std::vector<std::int64_t> numbers_;
  NumberIndex index_;
};

}  // namespace kiln::mesh
