#pragma once

#include <vector>

#include "tune/space/search_space.hpp"

namespace kiln::tune {

/// What a model sees of a configuration: a vector of numbers. Each parameter's value (of a text:
/// its position in the list); for whole numbers that are not all powers of two, how often 2 divides
/// them, since what fits a vector or a warp is fast; for each two numeric parameters with three
/// or more values their product and quotient, since work-group sizes, tiles and local memory are
/// products. Trees need no scaling. Const use is thread-safe; the space must outlive it.
class Features {
 public:
  explicit Features(const SearchSpace& space);

  std::size_t count() const { return parameters_.size() + twos_.size() + 2 * pairs_.size(); }
  /// Appends one configuration's features.
  void append(ConfigurationId id, std::vector<float>& to) const;

 private:
  struct Pair {
    std::size_t first, second;
  };

  const SearchSpace* space_;
  std::vector<std::vector<double>> parameters_;  ///< number of each value
  std::vector<std::size_t> twos_;                ///< parameters with divisibility by 2
  std::vector<Pair> pairs_;
};

}  // namespace kiln::tune
