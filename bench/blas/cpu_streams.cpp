// Levels 1 and 2 on CPU devices, in the same memory, against OpenBLAS; what only streams also
// against the bandwidth of the same kind (copy or reading), whichever is better.
#include <fmt/format.h>

#include <algorithm>

#include "blas/bandwidth.hpp"
#include "blas/bars.hpp"
#include "blas/duel.hpp"
#include "rival/cblas.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

Sample openblas(rival::Problem& problem) {
  return rivals_side([&problem] { rival::Cblas::get().run(problem.call(), problem.memory()); });
}

Outcome against_openblas(const Call& call) {
  return guarded([&]() -> Outcome {
    if (!rival::Cblas::get().present()) return not_measured("libopenblas.so.0 is absent");
    rival::Machine machine("cpu");
    rival::Problem problem(machine, call);
    return duel(problem, openblas(problem), kilns_side(problem), pairs_for(call));
  });
}

Bandwidth::Kind kind_of(Routine routine) {
  switch (routine) {
    case Routine::dot:
    case Routine::gemv:
    case Routine::symv:
      return Bandwidth::Kind::read;
    default:
      return Bandwidth::Kind::copy;
  }
}

/// Three sides in turn: the bandwidth is measured with the pairs, not before or after them.
Outcome against_the_better(const Call& call) {
  return guarded([&]() -> Outcome {
    const bool has_openblas = rival::Cblas::get().present();
    rival::Machine machine("cpu");
    rival::Problem problem(machine, call);
    constexpr std::size_t block = std::size_t{256} << 20;
    Bandwidth bandwidth(kind_of(call.routine), std::max(block, 4 * largest_cache()));
    const double traffic = rival::traffic_of(call);
    std::vector<double> bandwidths;
    const auto probe = [&] {
      rival::Cblas::let_threads_sleep();
      bandwidth.run();
      bandwidths.push_back(bandwidth.traffic() / bandwidth.run());
    };
    const Sample theirs = [&]() -> tl::expected<double, std::string> {
      probe();
      if (!has_openblas) return traffic / bandwidths.back();
      return openblas(problem)();
    };
    const auto pairs = interleave(theirs, kilns_side(problem), pairs_for(call), 2);
    if (!pairs) return not_measured(pairs.error());
    const double ours = median(pairs->second), openblas_ms = median(pairs->first);
    const double bytes_a_ms = median(bandwidths);
    const double best = std::min(openblas_ms, traffic / bytes_a_ms);
    return Figure{
        best / ours,
        fmt::format("{:.4g} ms; {} {:.4g} ms; {:.1f} GB/s, {} gives {:.1f}; {} pairs", ours,
                    has_openblas ? "OpenBLAS" : "no OpenBLAS", openblas_ms, traffic / ours * 1e-6,
                    kind_of(call.routine) == Bandwidth::Kind::copy ? "a copy" : "reading",
                    bytes_a_ms * 1e-6, pairs->first.size())};
  });
}

Bar streaming_bar(Routine routine, Precision precision, std::size_t n) {
  const Call call = measured_call(routine, precision, n);
  return {fmt::format("blas/{}", name_of(call)),
          fmt::format("{}, n = {}, on the CPU device, against the better of OpenBLAS and the {}",
                      name_of(call), n,
                      kind_of(routine) == Bandwidth::Kind::copy ? "bandwidth of copying"
                                                                : "bandwidth of reading"),
          Holds::at_least,
          0.95,
          "of its speed",
          [call](const Context&) { return against_the_better(call); }};
}

Bar solving_bar(Routine routine, Precision precision) {
  constexpr std::size_t n = 8192;
  const Call call = measured_call(routine, precision, n);
  return {fmt::format("blas/{}", name_of(call)),
          fmt::format("{}, n = {}, on the CPU device, against OpenBLAS on the same cores",
                      name_of(call), n),
          Holds::at_least,
          0.8,
          "of its speed",
          [call](const Context&) { return against_openblas(call); }};
}

}  // namespace

std::vector<Bar> cpu_stream_bars() {
  // Vectors that no cache holds.
  constexpr std::size_t large = std::size_t{64} << 20;
  const std::size_t n = std::size_t{1} << (largest_cache() > large ? 28 : 26);
  std::vector<Bar> bars;
  for (const auto precision : {Precision::s, Precision::d}) {
    for (const auto routine : {Routine::axpy, Routine::copy, Routine::scal, Routine::dot})
      bars.push_back(streaming_bar(routine, precision, n));
    for (const auto routine : {Routine::gemv, Routine::symv, Routine::ger})
      bars.push_back(streaming_bar(routine, precision, 8192));
    for (const auto routine : {Routine::trsv, Routine::tbsv, Routine::tpsv})
      bars.push_back(solving_bar(routine, precision));
  }
  return bars;
}

}  // namespace kiln::bench
