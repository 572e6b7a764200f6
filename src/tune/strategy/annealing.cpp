#include <cmath>

#include "tune/strategy/simple.hpp"

namespace kiln::tune {
namespace {

/// Temperatures are relative slow-downs: at 0.5 a neighbour that takes 1.5 times as long is taken
/// with a chance of 1/e.
constexpr double kHot = 0.5, kCold = 0.005, kCooling = 0.985;

}  // namespace

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

}  // namespace kiln::tune
