#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/random.hpp"

namespace kiln::tune {

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
