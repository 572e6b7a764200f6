#include "tune/strategy/simple.hpp"

namespace kiln::tune {
namespace {

/// Random steps of an iterated search away from its best, and fruitless ones before a new start.
constexpr int kSteps = 3, kMostFruitless = 10;

}  // namespace

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

}  // namespace kiln::tune
