#pragma once

#include "frame/bar.hpp"

namespace kiln::bench {

/// The bars of BLAS.
std::vector<Bar> blas_bars();

std::vector<Bar> cpu_product_bars();      ///< blas/sgemm-1024, … against OpenBLAS and oneDNN
std::vector<Bar> shape_grid_bars();       ///< blas/shapes: skinny and odd products
std::vector<Bar> stored_product_bars();   ///< blas/half-gemm-1024, … against floats and oneDNN
std::vector<Bar> cpu_stream_bars();       ///< blas/saxpy, … against OpenBLAS and the bandwidth
std::vector<Bar> batch_bars();            ///< blas/batch-sgemm-8, … against OpenBLAS and cuBLAS
std::vector<Bar> clblast_bars();          ///< blas/clblast-sgemm-1024, … and those on the GPU
std::vector<Bar> clblast_routine_bars();  ///< blas/clblast/sgemm-64, …: every routine
std::vector<Bar> call_cost_bars();        ///< blas/host-time, blas/library-size, …
std::vector<Bar> gpu_product_bars();      ///< blas/gpu-sgemm-4096, … against cuBLAS
std::vector<Bar> gpu_stream_bars();       ///< blas/gpu-saxpy, blas/gpu-sgemv against cuBLAS

}  // namespace kiln::bench
