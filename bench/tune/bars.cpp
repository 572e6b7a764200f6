#include "tune/bars.hpp"

namespace kiln::bench {

std::vector<Bar> tune_bars() {
  std::vector<Bar> bars;
  for (auto group :
       {hub_bars, own_space_bars, space_bars, noise_bars, search_bars, class_bars, shipped_bars}) {
    for (auto& bar : group()) bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace kiln::bench
