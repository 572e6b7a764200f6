#include "mesh/bars.hpp"

namespace kiln::bench {

std::vector<Bar> mesh_bars() {
  std::vector<Bar> bars;
  for (auto group : {plan_bars, call_bars, airfoil_bars}) {
    for (auto& bar : group()) bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace kiln::bench
