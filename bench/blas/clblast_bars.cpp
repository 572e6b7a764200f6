// CLBlast on the same device, in the same memory objects: as it comes, without tuning.
#include <fmt/format.h>

#include "blas/bars.hpp"
#include "blas/duel.hpp"
#include "rival/libraries.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

/// `calls` in a row on a GPU; on a CPU, where it is 0, calls among their like.
Outcome against_clblast(const char* device, const Call& call, int calls, int pairs) {
  if (!select_devices(device)) return not_measured(fmt::format("there is no device '{}'", device));
  rival::Machine machine(device);
  rival::Problem problem(machine, call);
  auto theirs = rival::clblast_side(problem);
  if (calls == 0) return duel(problem, std::move(theirs), rival::kiln_side(problem), pairs);
  theirs.sample =
      in_a_row(
          theirs.name, [&] { rival::Clblast::get().run(problem.call(), problem.queue()); },
          [&] { check_cl(::clFinish(problem.queue()), "clFinish"); }, calls)
          .sample;
  return duel(problem, std::move(theirs), kiln_in_a_row(problem, calls), pairs);
}

Bar cpu_bar(Routine routine, Precision precision, std::size_t n) {
  const Call call = measured_call(routine, precision, n);
  const bool computes = rival::is_compute_bound(routine);
  return {fmt::format("blas/clblast-{}-{}", name_of(call), n),
          fmt::format("{}, n = {}, on the CPU device, against CLBlast there", name_of(call), n),
          Holds::at_least,
          // Where both reach the bandwidth, they are equal but for what a machine does meanwhile.
          computes ? 3 : 0.98, "x faster", [call, n, computes](const Context&) {
            // It is many times slower: a few pairs tell.
            return against_clblast("cpu", call, 0, computes && n > 1024 ? 3 : 7);
          }};
}

Bar gpu_bar(Routine routine, Precision precision, std::size_t n, double limit) {
  const Call call = measured_call(routine, precision, n);
  return {fmt::format("blas/gpu-clblast-{}-{}", name_of(call), n),
          fmt::format("{}, n = {}, on the GPU, against CLBlast there", name_of(call), n),
          Holds::at_least,
          limit,
          "x faster",
          [call](const Context&) { return against_clblast("gpu", call, calls_for(call), 7); }};
}

}  // namespace

std::vector<Bar> clblast_bars() {
  std::vector<Bar> bars;
  constexpr Precision all[] = {Precision::s, Precision::d, Precision::c, Precision::z};
  for (const auto precision : all)
    for (const std::size_t n : {512, 1024, 2048, 4096})
      bars.push_back(cpu_bar(Routine::gemm, precision, n));
  for (const auto precision : {Precision::s, Precision::d})
    for (const auto routine :
         {Routine::symm, Routine::syrk, Routine::syr2k, Routine::trmm, Routine::trsm})
      bars.push_back(cpu_bar(routine, precision, 2048));
  for (const auto routine : {Routine::hemm, Routine::herk, Routine::her2k})
    bars.push_back(cpu_bar(routine, Precision::c, 2048));
  for (const auto precision : {Precision::s, Precision::d}) {
    for (const auto routine :
         {Routine::axpy, Routine::copy, Routine::scal, Routine::dot, Routine::sum, Routine::had})
      bars.push_back(cpu_bar(routine, precision, std::size_t{1} << 26));
    // It has no tbsv and no tpsv.
    for (const auto routine :
         {Routine::gemv, Routine::symv, Routine::ger, Routine::trsv, Routine::omatcopy})
      bars.push_back(cpu_bar(routine, precision, 8192));
  }
  for (const std::size_t n : {1024, 4096, 8192})
    bars.push_back(gpu_bar(Routine::gemm, Precision::s, n, 1));
  for (const std::size_t n : {4096, 8192})
    bars.push_back(gpu_bar(Routine::gemm, Precision::d, n, 1));
  bars.push_back(gpu_bar(Routine::gemm, Precision::c, 4096, 1));
  bars.push_back(gpu_bar(Routine::gemm, Precision::z, 4096, 1));
  bars.push_back(gpu_bar(Routine::trsm, Precision::s, 4096, 1));
  bars.push_back(gpu_bar(Routine::gemv, Precision::s, 16384, 0.98));
  bars.push_back(gpu_bar(Routine::symv, Precision::s, 16384, 0.98));
  bars.push_back(gpu_bar(Routine::axpy, Precision::s, std::size_t{1} << 27, 0.98));
  return bars;
}

}  // namespace kiln::bench
