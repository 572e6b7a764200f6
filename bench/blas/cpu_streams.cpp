// Levels 1 and 2 on CPU devices against OpenBLAS, in the same memory: what is bound by bandwidth.
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
    const auto pairs = interleave(theirs, ours, 15, 2);
    if (!pairs) return not_measured(pairs.error());
    Figure figure = ratio(*pairs, "ms");
    figure.detail += fmt::format(", {:.1f} GB/s against {:.1f}",
                                 problem.traffic() / median(pairs->second) * 1e-6,
                                 problem.traffic() / median(pairs->first) * 1e-6);
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
  call.alpha = routine == Routine::scal ? Scalar(-1) : Scalar(0.5);
  const std::string name = std::string(1, letter(precision)) + std::string(name_of(routine));
  return {fmt::format("blas/{}", name),
          fmt::format("{}, n = {}, on the CPU device, against OpenBLAS on the same cores", name, n),
          Holds::at_least,
          limit,
          "of its speed",
          [call, n](const Context&) { return against_openblas(call, n); }};
}

}  // namespace

std::vector<Bar> cpu_stream_bars() {
  std::vector<Bar> bars;
  for (const auto precision : {Precision::s, Precision::d}) {
    for (const auto routine : {Routine::axpy, Routine::copy, Routine::scal, Routine::dot})
      bars.push_back(bar(routine, precision, std::size_t{1} << 26, 0.95));
    for (const auto routine : {Routine::gemv, Routine::symv, Routine::ger})
      bars.push_back(bar(routine, precision, 8192, 0.95));
    bars.push_back(bar(Routine::trsv, precision, 8192, 0.8));
  }
  return bars;
}

}  // namespace kiln::bench
