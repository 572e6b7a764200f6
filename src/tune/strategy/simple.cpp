#include "tune/strategy/simple.hpp"

#include <algorithm>
#include <cmath>

namespace kiln::tune {
namespace {

/// A population that has converged may go on for ever among configurations that are known. After so
/// many known answers in a row a measurement is spent on a random new one.
constexpr int kMostRepeats = 1'000;

/// Random steps of an iterated search away from its best, and fruitless ones before a new start.
constexpr int kSteps = 3, kMostFruitless = 10;

/// Temperatures are relative slow-downs: at 0.5 a neighbour that takes 1.5 times as long is taken
/// with a chance of 1/e.
constexpr double kHot = 0.5, kCold = 0.005, kCooling = 0.985;

/// Of the genetic algorithm.
constexpr std::size_t kPopulation = 20, kElite = 2;
constexpr std::uint64_t kMutation = 10;  ///< one parameter in so many
constexpr int kMostStale = 5;            ///< generations without anything new

}  // namespace

bool ScriptedStrategy::is_known(ConfigurationId id) {
  if (!history().find(id)) return false;
  return ++repeats_ < kMostRepeats;
}

std::optional<ConfigurationId> ScriptedStrategy::propose() {
  if (history().waiting() > 0) return std::nullopt;
  repeats_ = 0;
  if (!script_.started()) script_ = search();
  // What is waited for may have been told from elsewhere, before it was asked for.
  if (!wanted_ || history().find(*wanted_)) script_.resume();
  // Known: the script went round too long. Whatever is new will be measured instead.
  return wanted_;
}

void shuffle(std::vector<ConfigurationId>& ids, Random& random) {
  for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random.below(i)]);
}

std::optional<ConfigurationId> Exhaustive::propose() {
  while (history().was_asked(next_)) ++next_;
  return next_;
}

Script MultiStart::search() {
  while (true) {
    ConfigurationId at = space().sample(random());
    Outcome here = co_await evaluate(at);
    for (bool improved = true; improved;) {
      improved = false;
      auto neighbours = space().neighbours(at, Neighbourhood::any_value);
      shuffle(neighbours, random());
      for (const ConfigurationId next : neighbours) {
        const Outcome there = co_await evaluate(next);
        if (!better(there, here)) continue;
        at = next;
        here = there;
        improved = true;
        break;
      }
    }
  }
}

Script IteratedLocal::search() {
  while (true) {
    ConfigurationId best = space().sample(random());
    Outcome of_best = co_await evaluate(best);
    ConfigurationId start = best;
    for (int fruitless = 0; fruitless < kMostFruitless; ++fruitless) {
      ConfigurationId at = start;
      Outcome here = co_await evaluate(at);
      for (bool improved = true; improved;) {
        improved = false;
        auto neighbours = space().neighbours(at, Neighbourhood::any_value);
        shuffle(neighbours, random());
        for (const ConfigurationId next : neighbours) {
          const Outcome there = co_await evaluate(next);
          if (!better(there, here)) continue;
          at = next;
          here = there;
          improved = true;
          break;
        }
      }
      if (better(here, of_best)) {
        best = at;
        of_best = here;
        fruitless = 0;
      }
      start = best;
      for (int step = 0; step < kSteps; ++step) {
        const auto neighbours = space().neighbours(start, Neighbourhood::any_value);
        if (!neighbours.empty()) start = neighbours[random().below(neighbours.size())];
      }
    }
  }
}

Script Annealing::search() {
  while (true) {
    ConfigurationId at = space().sample(random());
    Outcome here = co_await evaluate(at);
    for (double temperature = kHot; temperature > kCold; temperature *= kCooling) {
      const auto neighbours = space().neighbours(at, Neighbourhood::any_value);
      if (neighbours.empty()) break;
      const ConfigurationId next = neighbours[random().below(neighbours.size())];
      const Outcome there = co_await evaluate(next);
      bool taken = better(there, here) || !here.ok();
      if (!taken && there.ok()) {
        const double slower = there.time / here.time - 1;
        taken = random().unit() < std::exp(-slower / temperature);
      }
      if (!taken) continue;
      at = next;
      here = there;
    }
  }
}

Script Genetic::search() {
  std::vector<Trial> population;
  while (population.size() < kPopulation) {
    const ConfigurationId id = space().sample(random());
    const Outcome outcome = co_await evaluate(id);
    population.push_back({id, outcome});
  }
  const auto by_time = [](const Trial& a, const Trial& b) { return better(a.outcome, b.outcome); };
  for (int stale = 0;;) {
    std::stable_sort(population.begin(), population.end(), by_time);
    // Sorted: of two the one in front wins its tournament.
    const auto parent = [&] {
      const auto a = random().below(kPopulation), b = random().below(kPopulation);
      return population[std::min(a, b)].id;
    };
    const std::size_t known = history().asked();
    std::vector<Trial> next(population.begin(), population.begin() + kElite);
    while (next.size() < kPopulation) {
      const ConfigurationId mother = parent(), father = parent();
      const auto child =
          stale > kMostStale ? std::optional(space().sample(random())) : child_of(mother, father);
      if (!child) continue;
      const Outcome outcome = co_await evaluate(*child);
      next.push_back({*child, outcome});
    }
    population = std::move(next);
    stale = stale > kMostStale || history().asked() != known ? 0 : stale + 1;
  }
}

/// Where constraints leave few combinations of two parents valid, a random neighbour of one.
std::optional<ConfigurationId> Genetic::child_of(ConfigurationId a, ConfigurationId b) {
  constexpr int kTries = 50;
  const Positions mother = space().positions(a), father = space().positions(b);
  for (int i = 0; i < kTries; ++i) {
    Positions child = mother;
    for (std::size_t p = 0; p < child.size(); ++p) {
      if (random().below(2) == 0) child[p] = father[p];
      if (random().below(kMutation) > 0) continue;
      child[p] = static_cast<std::uint16_t>(random().below(space().parameters()[p].values.size()));
    }
    if (const auto id = space().find(child)) return id;
  }
  const auto neighbours = space().neighbours(a, Neighbourhood::any_value);
  if (neighbours.empty()) return space().sample(random());
  return neighbours[random().below(neighbours.size())];
}

}  // namespace kiln::tune
