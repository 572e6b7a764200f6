#include "tune/strategy/make.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "tune/strategy/forest.hpp"
#include "tune/strategy/simple.hpp"

namespace kiln::tune {
namespace {

constexpr StrategyInfo infos[] = {
    {"forest", "expected improvement over a forest of randomised trees (the default)", false},
    {"multi-start", "hill climbing from random starts", true},
    {"iterated-local", "hill climbing from near the best so far (basin hopping)", true},
    {"annealing", "simulated annealing", true},
    {"genetic", "a genetic algorithm", true},
    {"random", "random without repeats", false},
    {"exhaustive", "all configurations in their order", false},
};

}  // namespace

std::span<const StrategyInfo> strategies() { return infos; }

Expected<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const SearchSpace& space,
                                                  std::uint64_t seed,
                                                  std::shared_ptr<const Transfer> transfer) {
  if (name.empty() || name == "forest") {
    return std::make_unique<ForestSearch>(space, seed, std::move(transfer));
  }
  if (name == "multi-start") return std::make_unique<MultiStart>(space, seed);
  if (name == "iterated-local") return std::make_unique<IteratedLocal>(space, seed);
  if (name == "annealing") return std::make_unique<Annealing>(space, seed);
  if (name == "genetic") return std::make_unique<Genetic>(space, seed);
  if (name == "random") return std::make_unique<RandomSearch>(space, seed);
  if (name == "exhaustive") return std::make_unique<Exhaustive>(space, seed);
  std::vector<std::string_view> names;
  for (const StrategyInfo& info : infos) names.push_back(info.name);
  return fail(Errc::bad_input, fmt::format("no strategy is named '{}'{}", one_line(name),
                                           did_you_mean(name, names)));
}

}  // namespace kiln::tune
