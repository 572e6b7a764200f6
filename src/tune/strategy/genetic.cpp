#include <algorithm>

#include "tune/strategy/simple.hpp"

namespace kiln::tune {
namespace {

constexpr std::size_t kPopulation = 20, kElite = 2;
constexpr std::uint64_t kMutation = 10;  ///< one parameter in so many
constexpr int kMostStale = 5;            ///< generations without anything new

}  // namespace

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
