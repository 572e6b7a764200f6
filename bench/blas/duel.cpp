#include "blas/duel.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"

namespace kiln::bench {

using namespace kiln::blas;

Call measured_call(Routine routine, Precision precision, std::size_t n) {
  Call call;
  call.routine = routine;
  call.precision = precision;
  call.uplo = Uplo::lower;
  if (routine == Routine::scal) call.alpha = -1;
  if (routine < Routine::gemm && routine != Routine::scal) call.alpha = 0.5;
  call = rival::square(call, n);
  if (routine == Routine::tbsv) call.k = 64;
  return rival::contiguous(call);
}

std::string name_of(const Call& call) {
  return letter(call.precision) + std::string(blas::name_of(call.routine));
}

rival::Contender in_a_row(std::string name, std::function<void()> call,
                          std::function<void()> finish, int calls) {
  const auto sample = [call = std::move(call), finish = std::move(finish), calls] {
    const auto start = now_ns();
    for (int i = 0; i < calls; ++i) call();
    finish();
    return static_cast<double>(now_ns() - start) * 1e-6 / calls;
  };
  return {std::move(name), "", sample, {}};
}

rival::Contender kiln_in_a_row(rival::Problem& problem, int calls) {
  return {"Kiln", "", [&problem, calls] { return problem.run(calls); }, {}};
}

int pairs_for(const Call& call) {
  if (!rival::is_compute_bound(call.routine)) return 15;
  return call.n <= 1024 ? 25 : call.n <= 2048 ? 13 : 5;
}

int calls_for(const Call& call) {
  if (!rival::is_compute_bound(call.routine)) return 20;
  return call.n <= 1024 ? 50 : call.n <= 4096 ? 8 : 3;
}

Outcome duel(const rival::Problem& problem, rival::Contender theirs, rival::Contender ours,
             int pairs) {
  for (const auto* side : {&theirs, &ours})
    if (!side->absent.empty()) return not_measured(side->name + ": " + side->absent);
  std::vector<rival::Contender> sides{std::move(theirs), std::move(ours)};
  rival::measure(sides, pairs);
  const Pairs measured{std::move(sides[0].samples), std::move(sides[1].samples)};
  Figure figure = ratio(measured, "ms");
  const bool computes = rival::is_compute_bound(problem.call().routine);
  const double work =
      1e-6 * (computes ? rival::operations_of(problem.call()) : rival::traffic_of(problem.call()));
  figure.detail += fmt::format(", {:.1f} {} against {:.1f}", work / median(measured.second),
                               computes ? "GFLOP/s" : "GB/s", work / median(measured.first));
  return figure;
}

}  // namespace kiln::bench
