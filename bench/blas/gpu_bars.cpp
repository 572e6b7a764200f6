// A GPU against the vendor's library, several calls in a row on either side.
#include <fmt/format.h>

#include "blas/bars.hpp"
#include "blas/cublas.hpp"
#include "blas/duel.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

Outcome against_vendor(const Call& call) {
  if (!select_devices("gpu")) return not_measured("there is no GPU");
  Cublas& rival = Cublas::get();
  if (!rival.present()) return not_measured("cuBLAS is absent");
  rival::Machine machine("gpu");
  rival::Problem problem(machine, call);
  const CublasCopies copies(problem);
  const int calls = calls_for(call);
  auto theirs = in_a_row(
      "cuBLAS", [&] { rival.run(problem.call(), copies.memory()); }, [&] { rival.finish(); },
      calls);
  return duel(problem, std::move(theirs), kiln_in_a_row(problem, calls), 9);
}

Bar bar(Routine routine, Precision precision, std::size_t n, double limit) {
  const Call call = measured_call(routine, precision, n);
  return {fmt::format("blas/gpu-{}-{}", name_of(call), n),
          fmt::format("{}, n = {}, on the GPU, against cuBLAS", name_of(call), n),
          Holds::at_least,
          limit,
          "of its speed",
          [call](const Context&) { return against_vendor(call); }};
}

/// A product of factors that lie in memory as `factors`, into C as `result`. cuBLAS is fast for
/// integers where A is transposed, so they are measured so.
Bar stored_bar(const char* name, Storage factors, Storage result, std::size_t n, double limit) {
  Call call = measured_call(Routine::gemm, Precision::s, n);
  call[Slot::a].stored = call[Slot::b].stored = factors;
  call[Slot::c].stored = result;
  if (factors == Storage::int8) {
    call.trans_a = Transpose::transpose;
    call.alpha = 1;
    call.beta = 0;
  }
  return {fmt::format("blas/gpu-{}-{}", name, n),
          fmt::format("{}, n = {}, on the GPU, against cuBLAS", name, n),
          Holds::at_least,
          limit,
          "of its speed",
          [call](const Context&) { return against_vendor(call); }};
}

}  // namespace

std::vector<Bar> gpu_product_bars() {
  return {bar(Routine::gemm, Precision::s, 1024, 0.5),
          bar(Routine::gemm, Precision::s, 4096, 0.7),
          bar(Routine::gemm, Precision::s, 8192, 0.7),
          bar(Routine::gemm, Precision::d, 4096, 0.6),
          bar(Routine::gemm, Precision::d, 8192, 0.6),
          bar(Routine::gemm, Precision::c, 4096, 0.5),
          bar(Routine::gemm, Precision::z, 4096, 0.5),
          bar(Routine::trsm, Precision::s, 4096, 0.3),
          stored_bar("hgemm", Storage::half, Storage::half, 1024, 0.6),
          stored_bar("hgemm", Storage::half, Storage::half, 4096, 0.8),
          stored_bar("hgemm", Storage::half, Storage::half, 8192, 0.8),
          stored_bar("bf16gemm", Storage::bfloat16, Storage::bfloat16, 4096, 0.8),
          stored_bar("bf16gemm", Storage::bfloat16, Storage::bfloat16, 8192, 0.8),
          stored_bar("i8gemm", Storage::int8, Storage::int32, 8192, 0.75)};
}

std::vector<Bar> gpu_stream_bars() {
  return {bar(Routine::gemv, Precision::s, 16384, 0.9),
          bar(Routine::symv, Precision::s, 16384, 0.9),
          bar(Routine::axpy, Precision::s, std::size_t{1} << 27, 0.9)};
}

}  // namespace kiln::bench
