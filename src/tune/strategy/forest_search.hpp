#pragma once

#include <memory>
#include <unordered_map>

#include "tune/measure/outcome.hpp"
#include "tune/strategy/forest_model.hpp"
#include "tune/strategy/strategy.hpp"

/// The default strategy: search by a forest model, from what is known from elsewhere (a Transfer)
/// where there is something.
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
  void sort(std::vector<ConfigurationId>& ids) const;

  Features features_;
  ExtraTrees forest_;
  std::unordered_map<ConfigurationId, float> measured_;
  std::vector<ConfigurationId> fastest_;
};

/// Search with a model: a forest is fitted to what was measured, and the configuration with the
/// highest expected improvement on the best is next. The default.
///
/// What makes it find the best in few steps (docs/tuning.md has the figures):
/// - times count as logarithms, and all but the fastest three tenths of what was measured as alike,
/// so
///   that the forest spends its splits on the fast end;
/// - products and quotients of parameters are features of their own;
/// - three of ten proposals come from the neighbours of the best alone, the others from the whole
///   space, so that it neither dwells nor wanders.
/// With a Transfer the first proposals are the fastest of there, and the forest learns the
/// difference to what they lead to expect.
class ForestSearch : public Strategy {
 public:
  ForestSearch(const SearchSpace& space, std::uint64_t seed,
               std::shared_ptr<const Transfer> transfer = nullptr);

 private:
  std::optional<ConfigurationId> propose() override;
  std::optional<ConfigurationId> next_transferred();
  /// Fits the forest to the trials.
  void fit();
  /// Chooses which trials to fit to.
  std::vector<std::size_t> chosen_trials();
  /// Clipped logarithms of the trials' times.
  std::vector<double> targets() const;
  std::vector<ConfigurationId> candidates();
  void add_neighbours(ConfigurationId of, std::vector<ConfigurationId>& to) const;
  double improvement(ConfigurationId id);

  Features features_;
  std::shared_ptr<const Transfer> transfer_;
  std::size_t transferred_ = 0;  ///< how many of the transfer's fastest were looked at
  std::size_t initial_ = 0;      ///< proposals without a model so far
  ExtraTrees forest_;
  std::size_t fitted_to_ = 0;  ///< trials
  double trust_ = 0;           ///< in the transfer: the slope of what was measured over it
  double best_ = 0;            ///< target of the best trial
  std::vector<ConfigurationId> leaders_;  ///< the best trials, the first the best
  std::vector<float> point_;
};

}  // namespace kiln::tune
