// Strategies without a model: known from textbooks, with their usual constants. They are what the
// default has to beat, and what a user may prefer for a reason. And all strategies by their names.
#include "tune/strategy/simple.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/data/text.hpp"
#include "tune/strategy/forest_search.hpp"

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

namespace {

/// All configurations in the order of their numbers.
class Exhaustive final : public Strategy {
  using Strategy::Strategy;
  std::optional<ConfigurationId> propose() override {
    while (history().was_asked(next_)) ++next_;
    return next_;
  }
  ConfigurationId next_ = 0;
};

/// Each new configuration as likely as the other.
class RandomSearch final : public Strategy {
  using Strategy::Strategy;
  std::optional<ConfigurationId> propose() override { return history().any_new(random()); }
};

/// Local search: from a start to the first neighbour (Hamming distance 1, in random order) that is
/// faster, until none is. The next start is a few random steps away from the best local optimum
/// (iterated local search, basin hopping); after so many in a row that led nowhere, anywhere.
class LocalSearch final : public ScriptedStrategy {
 public:
  LocalSearch(const SearchSpace& space, std::uint64_t seed, int most_fruitless)
      : ScriptedStrategy(space, seed), most_fruitless_(most_fruitless) {}

 private:
  Script search() override {
    while (true) {
      Trial best{space().sample(random()), {}};
      best.outcome = co_await evaluate(best.id);
      Trial at = best;
      for (int fruitless = 0;;) {
        for (bool improved = true; improved;) {
          improved = false;
          auto neighbours = space().neighbours(at.id);
          random().shuffle(neighbours);
          for (const ConfigurationId next : neighbours) {
            const Outcome there = co_await evaluate(next);
            if (!better(there, at.outcome)) continue;
            at = {next, there};
            improved = true;
            break;
          }
        }
        if (better(at.outcome, best.outcome)) {
          best = at;
          fruitless = 0;
        }
        if (++fruitless >= most_fruitless_) break;
        at = best;
        for (int step = 0; step < kSteps; ++step) {
          const auto neighbours = space().neighbours(at.id);
          if (!neighbours.empty()) at.id = neighbours[random().below(neighbours.size())];
        }
        at.outcome = co_await evaluate(at.id);
      }
    }
  }

  const int most_fruitless_;
};

/// Simulated annealing: random neighbours, of which slower ones are taken by chance, less and less
/// often; when cold, from a new start.
class Annealing final : public ScriptedStrategy {
  using ScriptedStrategy::ScriptedStrategy;
  Script search() override {
    while (true) {
      ConfigurationId at = space().sample(random());
      Outcome here = co_await evaluate(at);
      for (double temperature = kHot; temperature > kCold; temperature *= kCooling) {
        const auto neighbours = space().neighbours(at);
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
};

/// A genetic algorithm: a population of 20, tournaments of 2, uniform crossover, mutation of one
/// parameter in ten, the two best survive; a population that stands still is renewed around its
/// best.
class Genetic final : public ScriptedStrategy {
  using ScriptedStrategy::ScriptedStrategy;
  Script search() override {
    std::vector<Trial> population;
    while (population.size() < kPopulation) {
      const ConfigurationId id = space().sample(random());
      const Outcome outcome = co_await evaluate(id);
      population.push_back({id, outcome});
    }
    const auto by_time = [](const Trial& a, const Trial& b) {
      return better(a.outcome, b.outcome);
    };
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
  std::optional<ConfigurationId> child_of(ConfigurationId a, ConfigurationId b) {
    constexpr int kTries = 50;
    const Positions mother = space().positions(a), father = space().positions(b);
    for (int i = 0; i < kTries; ++i) {
      Positions child = mother;
      for (std::size_t p = 0; p < child.size(); ++p) {
        if (random().below(2) == 0) child[p] = father[p];
        if (random().below(kMutation) > 0) continue;
        child[p] =
            static_cast<std::uint16_t>(random().below(space().parameters()[p].values.size()));
      }
      if (const auto id = space().find(child)) return id;
    }
    const auto neighbours = space().neighbours(a);
    if (neighbours.empty()) return space().sample(random());
    return neighbours[random().below(neighbours.size())];
  }
};

template <class Named, int... more>
std::unique_ptr<Strategy> make(const SearchSpace& space, std::uint64_t seed,
                               const std::shared_ptr<const Transfer>& transfer) {
  if constexpr (std::is_same_v<Named, ForestSearch>)
    return std::make_unique<Named>(space, seed, transfer);
  else
    return std::make_unique<Named>(space, seed, more...);
}

constexpr StrategyInfo infos[] = {
    {"forest", "expected improvement over a forest of randomised trees (the default)", false,
     make<ForestSearch>},
    {"multi-start", "hill climbing from random starts", true, make<LocalSearch, 1>},
    {"iterated-local", "hill climbing from near the best so far (basin hopping)", true,
     make<LocalSearch, kMostFruitless>},
    {"annealing", "simulated annealing", true, make<Annealing>},
    {"genetic", "a genetic algorithm", true, make<Genetic>},
    {"random", "random without repeats", false, make<RandomSearch>},
    {"exhaustive", "all configurations in their order", false, make<Exhaustive>},
};

}  // namespace

std::span<const StrategyInfo> strategies() { return infos; }

Expected<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space,
                                                  std::uint64_t seed,
                                                  const std::shared_ptr<const Transfer>& transfer) {
  std::vector<std::string_view> names;
  for (const StrategyInfo& info : infos) {
    if (info.name == name || name.empty()) return info.make(space, seed, transfer);
    names.push_back(info.name);
  }
  return fail(Errc::bad_input, fmt::format("no strategy is named '{}'{}", one_line(name),
                                           did_you_mean(name, names)));
}

}  // namespace kiln::tune
