#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tune/measure/outcome.hpp"

/// What searches a space: the interface of strategies, what they remember, and how one is made by
/// name.
namespace kiln::tune {

class Transfer;  // forest_search.hpp

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
  /// An outcome of one that was asked for, or of one that was not asked for (measured before). A
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

/// A way to search a space: says which configuration to measure next, and learns what came of it.
///
/// Deterministic: the same space, seed and sequence of calls give the same answers in every
/// process of one build. A search is therefore resumed by making it again and repeating the calls
/// that a journal holds. Never asks for a configuration twice, nor for one that it was told of
/// before it asked; ends when every configuration was asked for. Not thread-safe; the space must
/// outlive it.
class Strategy {
 public:
  Strategy(const SearchSpace& space, std::uint64_t seed) : history_(space), random_(seed) {}
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// The next configuration to measure. None where all were asked for, or where a strategy has to
  /// be told of what it asked for first (`history().waiting()` is then not 0). Several may be
  /// asked for ahead, for instance to compile them meanwhile, where asks_ahead() is true.
  std::optional<ConfigurationId> ask();

  /// What measuring one came to: one that was asked for, or a result from elsewhere.
  void tell(ConfigurationId id, const Outcome& outcome);

  virtual bool asks_ahead() const { return true; }
  const History& history() const { return history_; }

 protected:
  /// A configuration, best one that was not asked for: otherwise a random new one is taken in its
  /// place. None: must be told first.
  virtual std::optional<ConfigurationId> propose() = 0;

  const SearchSpace& space() const { return history_.space(); }
  Random& random() { return random_; }

 private:
  History history_;
  Random random_;
};

/// A strategy that a user can name.
struct StrategyInfo {
  std::string_view name, summary;
  bool is_simple;  ///< a textbook's, without a model: what the default is compared with
  std::unique_ptr<Strategy> (*make)(const SearchSpace& space, std::uint64_t seed,
                                    const std::shared_ptr<const Transfer>& transfer);
};

/// All, the default first.
std::span<const StrategyInfo> strategies();

/// The strategy of this name ("" for the default). A transfer is used by the default, and ignored
/// by the others. Errors: no such name, with the nearest that there is.
Expected<std::unique_ptr<Strategy>> make_strategy(
    std::string_view name, const SearchSpace& space, std::uint64_t seed,
    const std::shared_ptr<const Transfer>& transfer = nullptr);

}  // namespace kiln::tune
