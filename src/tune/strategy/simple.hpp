#pragma once

#include "tune/strategy/script.hpp"

/// Strategies without a model: known from textbooks, with their usual constants. They are what the
/// default has to beat, and what a user may prefer for a reason.
namespace kiln::tune {

/// All configurations in the order of their numbers.
class Exhaustive : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  std::optional<ConfigurationId> propose() override;
  ConfigurationId next_ = 0;
};

/// Each new configuration as likely as the other.
class RandomSearch : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  std::optional<ConfigurationId> propose() override { return history().any_new(random()); }
};

/// Multi-start local search: from a random configuration to the first neighbour (Hamming distance
/// 1, in random order) that is faster, until none is; then from another.
class MultiStart : public ScriptedStrategy {
 public:
  using ScriptedStrategy::ScriptedStrategy;

 private:
  Script search() override;
};

/// Iterated local search (basin hopping): as MultiStart, but the next start is a few random steps
/// away from the best local optimum; after ten that led nowhere, anywhere.
class IteratedLocal : public ScriptedStrategy {
 public:
  using ScriptedStrategy::ScriptedStrategy;

 private:
  Script search() override;
};

/// Simulated annealing: random neighbours, of which slower ones are taken by chance, less and less
/// often; when cold, from a new start.
class Annealing : public ScriptedStrategy {
 public:
  using ScriptedStrategy::ScriptedStrategy;

 private:
  Script search() override;
};

/// A genetic algorithm: a population of 20, tournaments of 2, uniform crossover, mutation of one
/// parameter in ten, the two best survive; a population that stands still is renewed around its
/// best.
class Genetic : public ScriptedStrategy {
 public:
  using ScriptedStrategy::ScriptedStrategy;

 private:
  Script search() override;
  std::optional<ConfigurationId> child_of(ConfigurationId a, ConfigurationId b);
};

/// All in a new, random order.
void shuffle(std::vector<ConfigurationId>& ids, Random& random);

}  // namespace kiln::tune
