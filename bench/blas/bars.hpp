#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of BLAS.
std::vector<Bar> blas_bars();

std::vector<Bar> cpu_product_bars();  ///< blas/sgemm-1024, blas/dtrsm-2048, … against OpenBLAS
std::vector<Bar> cpu_stream_bars();   ///< blas/saxpy, blas/dgemv, … against OpenBLAS
std::vector<Bar> gpu_product_bars();  ///< blas/gpu-sgemm-4096, … against cuBLAS
std::vector<Bar> gpu_stream_bars();   ///< blas/gpu-saxpy, blas/gpu-sgemv against cuBLAS

}  // namespace kiln::bench
