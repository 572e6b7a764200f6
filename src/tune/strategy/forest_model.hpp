#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/space/search_space.hpp"

/// A regression forest over the configurations of a space: predicts the times of those that were
/// not measured. The default strategy searches by it, and importance_of() takes it apart.
namespace kiln::tune {

/// What a model sees of a configuration: a vector of numbers. Each parameter's value (of a text:
/// its position in the list); for integers that are not all powers of two, how often 2 divides
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

/// What a forest expects at a point: the mean over its trees, and how far they differ.
struct Estimate {
  double mean = 0, deviation = 0;
};

/// A regression forest of extremely randomised trees (Geurts, Ernst, Wehenkel: Extremely
/// randomized trees, Machine Learning 63, 2006): all samples in each tree, and of each feature one
/// random threshold, so that the trees differ most where nothing was measured. Between samples it
/// interpolates, at them it gives their value. Small data, fitted in milliseconds. Const use
/// is thread-safe.
class ExtraTrees {
 public:
  struct Shape {
    std::size_t trees = 30;
    double features = 0.8;           ///< share of the features that a split looks at
    std::size_t most_features = 24;  ///< and their highest number
  };

  /// Samples: a row of `features` numbers each, and a target each.
  void fit(std::span<const float> samples, std::size_t features, std::span<const float> targets,
           const Shape& shape, Random& random);
  Estimate estimate(const float* point) const;

 private:
  struct Node {
    std::int32_t feature = -1;  ///< -1: a leaf
    float threshold = 0;        ///< below: the next node
    std::uint32_t above = 0;
    float mean = 0;
  };
  struct Split {
    double gain = -1;
    std::int32_t feature = -1;
    float threshold = 0;
  };
  class Grower;

  std::vector<Node> nodes_;           ///< of all trees
  std::vector<std::uint32_t> roots_;  ///< of each tree
};

}  // namespace kiln::tune
