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
  /// The set must stay where it is.
  explicit LocalNumbers(const SetRows& set)
      : owned_(set.numbers),
        of_place_(set.numbers.size()),
        copies_(rising_copies(set)),
        halo_(numbers_of(set, copies_)),
        index_(halo_) {
    for (std::size_t at = 0; at < set.order.size(); ++at)
      of_place_[static_cast<std::size_t>(set.order[at])] = static_cast<std::int32_t>(at);
  }
  LocalNumbers(LocalNumbers&&) = default;  // the lists stay where they are

  /// -1: it is not here.
  std::int32_t of(std::int64_t number) const {
    if (const auto place = owned_.find(number); place >= 0)
      return of_place_[static_cast<std::size_t>(place)];
    const auto at = index_.find(number);
    return at < 0 ? -1
                  : static_cast<std::int32_t>(of_place_.size()) +
                        copies_[static_cast<std::size_t>(at)];
  }

 private:
  static std::vector<std::int32_t> rising_copies(const SetRows& set) {
    std::vector<std::int32_t> copies(set.halo.size());
    std::iota(copies.begin(), copies.end(), 0);
    std::ranges::sort(copies, {}, [&](std::int32_t copy) {
      return set.halo[static_cast<std::size_t>(copy)].number;
    });
    return copies;
  }
  static std::vector<std::int64_t> numbers_of(const SetRows& set,
                                              const std::vector<std::int32_t>& copies) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(copies.size());
    for (const std::int32_t copy : copies)
      numbers.push_back(set.halo[static_cast<std::size_t>(copy)].number);
    return numbers;
  }

  NumberIndex owned_;
  std::vector<std::int32_t> of_place_;  ///< local numbers of owned elements
  std::vector<std::int32_t> copies_;    ///< places in the halo, by number
  std::vector<std::int64_t> halo_;
  NumberIndex index_;
};

}  // namespace kiln::mesh
