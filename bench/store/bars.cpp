#include "store/bars.hpp"

namespace kiln::bench {

std::vector<Bar> store_bars() {
  std::vector<Bar> bars;
  for (auto group : {warm_start_bars, big_store_bars, herd_bars, shared_hit_bars}) {
    for (auto& bar : group()) bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace kiln::bench
