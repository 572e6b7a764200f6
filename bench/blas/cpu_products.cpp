// Level 3 on CPU devices against OpenBLAS: whole calls, packing included, in the same memory. The
// product of floats against oneDNN, too.
#include <fmt/format.h>

#include "blas/bars.hpp"
#include "blas/duel.hpp"
#include "rival/libraries.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

/// `make_side`: makes the rival's side of a problem.
Outcome against(rival::Contender (*make_side)(rival::Problem&), const Call& call) {
  rival::Machine machine("cpu");
  rival::Problem problem(machine, call);
  return duel(problem, make_side(problem), rival::kiln_side(problem), pairs_for(call));
}

rival::Contender onednn_side(rival::Problem& problem) {
  const auto& rival = rival::Onednn::get();
  auto side = rival::side_of("oneDNN", [&] { rival.run(problem.call(), problem.memory()); });
  if (!rival.present()) side.absent = "not installed (libdnnl.so.2)";
  side.spins = true;
  return side;
}

Bar against_openblas(Routine routine, Precision precision, std::size_t n, double limit) {
  const Call call = measured_call(routine, precision, n);
  return {fmt::format("blas/{}-{}", name_of(call), n),
          fmt::format("{} of {} x {} on the CPU device, against OpenBLAS on the same cores",
                      name_of(call), n, n),
          Holds::at_least,
          limit,
          "x faster",
          [call](const Context&) { return against(rival::openblas_side, call); }};
}

Bar against_onednn(std::size_t n) {
  const Call call = measured_call(Routine::gemm, Precision::s, n);
  return {fmt::format("blas/onednn-sgemm-{}", n),
          fmt::format("sgemm of {} x {} on the CPU device, against oneDNN on the same cores", n, n),
          Holds::at_least,
          1.0,
          "x faster",
          [call](const Context&) { return against(onednn_side, call); }};
}

double floor_of_gemm(Precision precision) { return is_complex(precision) ? 0.9 : 1.0; }

}  // namespace

std::vector<Bar> cpu_product_bars() {
  std::vector<Bar> bars;
  constexpr Precision all[] = {Precision::s, Precision::d, Precision::c, Precision::z};
  for (const auto precision : all)
    for (const std::size_t n : {512, 1024, 2048, 4096})
      bars.push_back(against_openblas(Routine::gemm, precision, n, floor_of_gemm(precision)));
  for (const std::size_t n : {512, 1024, 2048, 4096}) bars.push_back(against_onednn(n));
  for (const auto routine :
       {Routine::symm, Routine::syrk, Routine::syr2k, Routine::trmm, Routine::trsm})
    for (const auto precision : all)
      bars.push_back(against_openblas(routine, precision, 2048, 0.85));
  for (const auto routine : {Routine::hemm, Routine::herk, Routine::her2k})
    for (const auto precision : {Precision::c, Precision::z})
      bars.push_back(against_openblas(routine, precision, 2048, 0.85));
  return bars;
}

}  // namespace kiln::bench
