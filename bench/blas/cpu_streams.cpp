// Levels 1 and 2 on CPU devices, in the same memory, against OpenBLAS; what only streams also
// against the bandwidth of the same kind (copy or reading), whichever is better.
#include <fmt/format.h>

#include <algorithm>

#include "blas/bandwidth.hpp"
#include "blas/bars.hpp"
#include "blas/duel.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

Outcome against_openblas(const Call& call) {
  rival::Machine machine("cpu");
  rival::Problem problem(machine, call);
  return duel(problem, rival::openblas_side(problem), rival::kiln_side(problem), pairs_for(call));
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
  rival::Machine machine("cpu");
  rival::Problem problem(machine, call);
  constexpr std::size_t block = std::size_t{256} << 20;
  Bandwidth bandwidth(kind_of(call.routine), std::max(block, 4 * largest_cache()));
  const double traffic = rival::traffic_of(call);
  // What moving the same bytes takes.
  const auto move = [&] {
    bandwidth.run();
    return traffic * bandwidth.run() / bandwidth.traffic();
  };
  std::vector<rival::Contender> sides{
      {"bandwidth", "", move, {}}, rival::openblas_side(problem), rival::kiln_side(problem)};
  rival::measure(sides, pairs_for(call));
  const bool has_openblas = !sides[1].samples.empty();
  const double moved = median(sides[0].samples), ours = median(sides[2].samples);
  const double theirs = has_openblas ? median(sides[1].samples) : moved;
  return Figure{
      std::min(theirs, moved) / ours,
      fmt::format("{:.4g} ms; {} {:.4g} ms; {:.1f} GB/s, {} gives {:.1f}; {} rounds", ours,
                  has_openblas ? "OpenBLAS" : "no OpenBLAS", theirs, traffic / ours * 1e-6,
                  kind_of(call.routine) == Bandwidth::Kind::copy ? "a copy" : "reading",
                  traffic / moved * 1e-6, sides[2].samples.size())};
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
