// A GPU against the vendor's library, several calls in a row on either side.
#include <fmt/format.h>

#include "blas/bars.hpp"
#include "blas/cublas.hpp"
#include "blas/duel.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

Bar bar(Routine routine, Precision precision, std::size_t n, double limit) {
  const Call call = measured_call(routine, precision, n);
  return {fmt::format("blas/gpu-{}-{}", name_of(call), n),
          fmt::format("{}, n = {}, on the GPU, against cuBLAS", name_of(call), n),
          Holds::at_least,
          limit,
          "of its speed",
          [call](const Context&) { return against_cublas(call, calls_for(call)); }};
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
          [call](const Context&) { return against_cublas(call, calls_for(call)); }};
}

/// Two calls of Kiln's on the GPU, in turns: how many times as long the first takes.
Outcome against_other(const Call& call, const Call& other) {
  if (!select_devices("gpu")) return not_measured("there is no GPU");
  rival::Machine machine("gpu");
  rival::Problem problem(machine, call), simpler(machine, other);
  const int calls = calls_for(call);
  return duel(problem, kiln_in_a_row(problem, calls), kiln_in_a_row(simpler, calls), 9);
}

/// A product of halves with a bias and GELU, against one without.
Bar epilogue_bar(std::size_t n, double limit) {
  Call plain = measured_call(Routine::gemm, Precision::s, n);
  plain[Slot::a].stored = plain[Slot::b].stored = plain[Slot::c].stored = Storage::half;
  Call call = plain;
  call.epilogue = {Along::rows, Along::none, Activation::gelu, false};
  return {fmt::format("blas/gpu-half-gelu-{}", n),
          fmt::format("a product of halves with a bias and GELU, n = {}, on the GPU, against one "
                      "without",
                      n),
          Holds::at_most,
          limit,
          "x the time",
          [=](const Context&) { return against_other(call, plain); }};
}

/// Weights of 4 bits in groups of 128, 4096 x 14336, times a vector, against a copy that moves as
/// many bytes.
Bar weights_bar() {
  Call call = measured_call(Routine::gemm, Precision::s, 4096);
  call.n = 1;
  call.k = 14336;
  call.trans_a = Transpose::transpose;
  call[Slot::a].stored = Storage::int4;
  call.group_a = 128;
  call = rival::contiguous(call);
  Call copy = measured_call(Routine::copy, Precision::s, 1);
  copy.n = static_cast<std::size_t>(rival::traffic_of(call)) / 8;
  return {
      "blas/gpu-q4-gemv",
      "weights of 4 bits in groups, 4096 x 14336, times a vector, on the GPU, against a copy of "
      "as many bytes",
      Holds::at_most,
      1 / 0.75,
      "x the time",
      [=](const Context&) { return against_other(call, copy); }};
}

/// A product of doubles by way of bytes, against cuBLAS's of doubles.
Bar emulated_bar(std::size_t n, double limit) {
  Call call = measured_call(Routine::gemm, Precision::d, n);
  call.emulated = true;
  return {fmt::format("blas/gpu-emulated-dgemm-{}", n),
          fmt::format("dgemm by way of bytes, n = {}, on the GPU, against cuBLAS's", n),
          Holds::at_least,
          limit,
          "of its speed",
          [call](const Context&) { return against_cublas(call, calls_for(call)); }};
}

}  // namespace

std::vector<Bar> gpu_product_bars() {
  return {epilogue_bar(4096, 1.05),
          weights_bar(),
          emulated_bar(8192, 1.0),
          bar(Routine::gemm, Precision::s, 1024, 0.8),
          bar(Routine::gemm, Precision::s, 4096, 0.93),
          bar(Routine::gemm, Precision::s, 8192, 0.95),
          bar(Routine::gemm, Precision::d, 4096, 0.85),
          bar(Routine::gemm, Precision::d, 8192, 0.85),
          bar(Routine::gemm, Precision::c, 4096, 0.9),
          bar(Routine::gemm, Precision::z, 4096, 0.85),
          bar(Routine::trsm, Precision::s, 4096, 0.85),
          stored_bar("hgemm", Storage::half, Storage::half, 1024, 0.6),
          stored_bar("hgemm", Storage::half, Storage::half, 4096, 0.8),
          stored_bar("hgemm", Storage::half, Storage::half, 8192, 0.8),
          stored_bar("bf16gemm", Storage::bfloat16, Storage::bfloat16, 4096, 0.8),
          stored_bar("bf16gemm", Storage::bfloat16, Storage::bfloat16, 8192, 0.8),
          stored_bar("i8gemm", Storage::int8, Storage::int32, 8192, 0.75)};
}

std::vector<Bar> gpu_stream_bars() {
  return {bar(Routine::gemv, Precision::s, 16384, 0.97),
          bar(Routine::symv, Precision::s, 16384, 0.9),
          bar(Routine::axpy, Precision::s, std::size_t{1} << 27, 0.9)};
}

}  // namespace kiln::bench
