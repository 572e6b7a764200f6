#include "blas/bars.hpp"

namespace kiln::bench {

std::vector<Bar> blas_bars() { return cpu_product_bars(); }

}  // namespace kiln::bench
