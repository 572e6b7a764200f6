#include "formats/bars.hpp"

namespace kiln::bench {

std::vector<Bar> formats_bars() {
  std::vector<Bar> bars;
  for (auto group : {kdb_bars, poclbin_bars, start_bars}) {
    for (auto& bar : group()) bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace kiln::bench
