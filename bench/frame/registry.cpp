#include "blas/bars.hpp"
#include "build/bars.hpp"
#include "formats/bars.hpp"
#include "frame/bar.hpp"
#include "graph/bars.hpp"
#include "layer/bars.hpp"
#include "mesh/bars.hpp"
#include "mpi/bars.hpp"
#include "python/bars.hpp"
#include "spec/bars.hpp"
#include "store/bars.hpp"
#include "tune/bars.hpp"

namespace kiln::bench {

// A group joins by one line here; a bar by one function in its group's folder.
std::vector<Bar> all_bars() {
  std::vector<Bar> bars;
  for (auto group : {spec_bars, formats_bars, store_bars, blas_bars, tune_bars, mesh_bars, mpi_bars,
                     layer_bars, graph_bars, python_bars, build_bars}) {
    for (auto& bar : group()) bars.push_back(std::move(bar));
  }
  return bars;
}

}  // namespace kiln::bench
