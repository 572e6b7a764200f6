#pragma once

#include <memory>
#include <unordered_map>

#include "tune/strategy/extra_trees.hpp"
#include "tune/strategy/features.hpp"
#include "tune/strategy/outcome.hpp"

namespace kiln::tune {

/// What is known of a space from elsewhere: another device's trials, another problem's, an older
/// driver's. Only their order and proportions count, not their unit. Immutable; thread-safe, so
/// that many searches may share one. The space must outlive it.
class Transfer {
 public:
  /// Trials of `source` brought to `space` by the names and values of parameters. What only the
  /// source has does not count, of several trials that then come to one configuration the
  /// fastest stays; what only `space` has is tried with each of its first few values. Errors:
  /// nothing in common.
  static Expected<std::shared_ptr<const Transfer>> make(const SearchSpace& source,
                                                        std::span<const Trial> trials,
                                                        const SearchSpace& space,
                                                        std::uint64_t seed);

  /// Expected logarithm of (time / the source's best time), failures included as slow: measured
  /// there, or else a forest's estimate.
  double expect(ConfigurationId id) const;
  /// All that was measured there without failing and is valid here, the fastest first.
  std::span<const ConfigurationId> fastest() const { return fastest_; }

 private:
  explicit Transfer(const SearchSpace& space) : features_(space) {}
  void fit(std::uint64_t seed);

  Features features_;
  ExtraTrees forest_;
  std::unordered_map<ConfigurationId, float> measured_;
  std::vector<ConfigurationId> fastest_;
};

}  // namespace kiln::tune
