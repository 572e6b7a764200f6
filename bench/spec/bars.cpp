#include "spec/bars.hpp"

#include <iterator>

namespace kiln::bench {

std::vector<Bar> spec_bars() {
  std::vector<Bar> bars{version_bar(),          check_bar(),
                        dispatch_bar(),         process_binary_bar(),
                        process_pyopencl_bar(), first_run_bar()};
  for (auto& group : {look_up_bars(), auto_bars()}) {
    bars.insert(bars.end(), group.begin(), group.end());
  }
  return bars;
}

}  // namespace kiln::bench
