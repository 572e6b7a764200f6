// Products of halves and bytes on CPU devices: the packing converts, so that what they take is to
// be held against the product of floats.
#include <fmt/format.h>

#include "blas/bars.hpp"
#include "blas/duel.hpp"
#include "rival/libraries.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

Call stored_call(std::size_t n, Storage factors, Storage result) {
  Call call = measured_call(Routine::gemm, Precision::s, n);
  call[Slot::a].stored = call[Slot::b].stored = factors;
  call[Slot::c].stored = result;
  if (result == Storage::int32) call.beta = 0;
  return call;
}

Outcome against_floats(const Call& call) {
  rival::Machine machine("cpu");
  rival::Problem problem(machine, call);
  rival::Problem floats(machine, measured_call(Routine::gemm, Precision::s, call.n));
  return duel(problem, rival::openblas_side(floats), rival::kiln_side(problem), pairs_for(call));
}

Outcome against_onednn(const Call& call) {
  rival::Machine machine("cpu");
  rival::Problem problem(machine, call);
  const auto& rival = rival::Onednn::get();
  auto side = rival::side_of("oneDNN", [&] { rival.run(problem.call(), problem.memory()); });
  if (!rival.present()) side.absent = "not installed (libdnnl.so.2)";
  side.spins = true;
  return duel(problem, std::move(side), rival::kiln_side(problem), pairs_for(call));
}

/// The same product with a bias and GELU: how much longer it takes.
Outcome epilogue_against_none(std::size_t n) {
  rival::Machine machine("cpu");
  Call call = stored_call(n, Storage::half, Storage::half);
  rival::Problem plain(machine, call);
  call.epilogue = {Along::rows, Along::none, Activation::gelu, false};
  rival::Problem problem(machine, call);
  return duel(problem, rival::kiln_side(problem), rival::kiln_side(plain), pairs_for(call));
}

}  // namespace

std::vector<Bar> stored_product_bars() {
  std::vector<Bar> bars;
  const auto add = [&](std::string name, std::string what, Holds holds, double limit,
                       std::function<Outcome(const Context&)> run) {
    bars.push_back({std::move(name), std::move(what), holds, limit,
                    holds == Holds::at_most ? "x the time" : "x faster", std::move(run)});
  };
  for (const std::size_t n : {1024, 2048}) {
    const Call half = stored_call(n, Storage::half, Storage::half),
               bfloat = stored_call(n, Storage::bfloat16, Storage::bfloat16);
    add(fmt::format("blas/half-gemm-{}", n),
        fmt::format("a product of halves of {} x {}, against OpenBLAS's of floats", n, n),
        Holds::at_least, 0.9, [half](const Context&) { return against_floats(half); });
    add(fmt::format("blas/bfloat16-gemm-{}", n),
        fmt::format("a product of bfloat16 of {} x {}, against OpenBLAS's of floats", n, n),
        Holds::at_least, 0.9, [bfloat](const Context&) { return against_floats(bfloat); });
  }
  const Call bytes = stored_call(1024, Storage::int8, Storage::int32);
  add("blas/onednn-int8-1024", "a product of bytes into int32 of 1024 x 1024, against oneDNN's",
      Holds::at_least, 0.8, [bytes](const Context&) { return against_onednn(bytes); });
  add("blas/half-gelu-1024",
      "a product of halves of 1024 x 1024 with a bias and GELU, against one without",
      Holds::at_most, 1.05, [](const Context&) { return epilogue_against_none(1024); });
  return bars;
}

}  // namespace kiln::bench
