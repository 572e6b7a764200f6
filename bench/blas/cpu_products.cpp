// Level 3 on CPU devices against OpenBLAS: whole calls, packing included, in the same memory.
#include <fmt/format.h>

#include "blas/bars.hpp"
#include "blas/burst.hpp"
#include "blas/cblas.hpp"
#include "blas/problem.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

Outcome against_openblas(const Call& call, std::size_t n) {
  const Cblas& rival = Cblas::get();
  if (!rival.present()) return not_measured("libopenblas.so.0 is absent");
  try {
    BlasMachine machine("cpu");
    BlasProblem problem(machine, call, n);
    const Sample ours = [&] {
      Cblas::let_threads_sleep();
      return burst([&] { problem.run(); });
    };
    const Sample theirs = [&] {
      return burst([&] { rival.run(problem.call(), problem.memory()); });
    };
    const int count = n <= 1024 ? 25 : n <= 2048 ? 13 : 5;
    const auto pairs = interleave(theirs, ours, count, 3);
    if (!pairs) return not_measured(pairs.error());
    Figure figure = ratio(*pairs, "ms");
    figure.detail += fmt::format(", {:.0f} GFLOP/s against {:.0f}",
                                 problem.operations() / median(pairs->second) * 1e-6,
                                 problem.operations() / median(pairs->first) * 1e-6);
    return figure;
  } catch (const std::exception& error) {
    return not_measured(error.what());
  }
}

Bar bar(Routine routine, Precision precision, std::size_t n, double limit) {
  Call call;
  call.routine = routine;
  call.precision = precision;
  call.uplo = Uplo::lower;
  // A product into itself must neither grow nor vanish over many runs.
  call.alpha = 1;
  call.beta = 0;
  const std::string name = std::string(1, letter(precision)) + std::string(name_of(routine));
  return {fmt::format("blas/{}-{}", name, n),
          fmt::format("{} of {} x {} on the CPU device, against OpenBLAS on the same cores", name,
                      n, n),
          Holds::at_least,
          limit,
          "x faster",
          [call, n](const Context&) { return against_openblas(call, n); }};
}

}  // namespace

std::vector<Bar> cpu_product_bars() {
  std::vector<Bar> bars;
  for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z})
    for (const std::size_t n : {512, 1024, 2048, 4096})
      bars.push_back(bar(Routine::gemm, precision, n,
                         is_complex(precision) ? 0.9
                         : n <= 512            ? 0.85
                                               : 1.0));
  for (const auto routine :
       {Routine::symm, Routine::syrk, Routine::syr2k, Routine::trmm, Routine::trsm})
    for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z})
      bars.push_back(bar(routine, precision, 2048, 0.85));
  for (const auto routine : {Routine::hemm, Routine::herk, Routine::her2k})
    for (const auto precision : {Precision::c, Precision::z})
      bars.push_back(bar(routine, precision, 2048, 0.85));
  return bars;
}

}  // namespace kiln::bench
