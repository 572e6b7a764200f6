#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tune/strategy/outcome.hpp"

namespace kiln::tune {

/// What a search has asked for and what it was told. Not thread-safe.
class History {
 public:
  explicit History(const SearchSpace& space) : space_(&space) {}

  const SearchSpace& space() const { return *space_; }
  /// In the order of telling.
  const std::vector<Trial>& trials() const { return trials_; }
  /// The fastest, or nullptr while nothing has a time.
  const Trial* best() const { return best_ == kNone ? nullptr : &trials_[best_]; }
  /// The outcome of one, or nullptr where none is told.
  const Outcome* find(ConfigurationId id) const;
  bool was_asked(ConfigurationId id) const { return known_.contains(id); }
  bool all_asked() const { return known_.size() == space_->size(); }
  std::size_t asked() const { return known_.size(); }
  std::size_t waiting() const { return known_.size() - trials_.size(); }

  void ask(ConfigurationId id) { known_.emplace(id, kNone); }
  /// An outcome of one that was asked for, or of one that nobody asked for (measured before). A
  /// second outcome of one configuration replaces the first.
  void tell(ConfigurationId id, const Outcome& outcome);
  /// One that was not asked for yet, each nearly as likely as the other; none where all were.
  std::optional<ConfigurationId> any_new(Random& random) const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  const SearchSpace* space_;
  std::vector<Trial> trials_;
  std::unordered_map<ConfigurationId, std::size_t> known_;  ///< to its trial, or kNone
  std::size_t best_ = kNone;
};

}  // namespace kiln::tune
