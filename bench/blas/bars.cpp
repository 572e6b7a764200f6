#include "blas/bars.hpp"

namespace kiln::bench {

std::vector<Bar> blas_bars() {
  std::vector<Bar> bars;
  for (auto group :
       {cpu_product_bars, cpu_stream_bars, stored_product_bars, shape_grid_bars, batch_bars,
        clblast_bars, clblast_routine_bars, call_cost_bars, gpu_product_bars, gpu_stream_bars}) {
    for (auto& bar : group()) bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace kiln::bench
