#pragma once

#include "tune/strategy/history.hpp"

namespace kiln::tune {

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

}  // namespace kiln::tune
