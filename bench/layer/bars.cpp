#include "layer/bars.hpp"

namespace kiln::bench {

std::vector<Bar> layer_bars() {
  std::vector<Bar> bars;
  for (auto group : {layer_program_bars, layer_cost_bars, layer_tune_bars, layer_profile_bars})
    for (auto& bar : group()) bars.push_back(std::move(bar));
  return bars;
}

}  // namespace kiln::bench
