// A GPU against the vendor's library, several calls in a row on either side.
#include <fmt/format.h>

#include <chrono>

#include "blas/bars.hpp"
#include "blas/cublas.hpp"
#include "blas/problem.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

/// The operands of a problem once more, in the rival's memory.
class Copies {
 public:
  explicit Copies(const BlasProblem& problem) {
    for (std::size_t slot = 0; slot < slot_count; ++slot)
      if (problem.memory()[slot] != nullptr)
        memory_[slot] =
            Cublas::get().upload(problem.memory()[slot], problem.bytes(static_cast<Slot>(slot)));
  }
  ~Copies() {
    for (void* memory : memory_)
      if (memory != nullptr) Cublas::get().free(memory);
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  const std::array<void*, slot_count>& memory() const { return memory_; }

 private:
  std::array<void*, slot_count> memory_{};
};

Outcome against_vendor(const Call& call, std::size_t n) {
  try {
    if (!select_devices("gpu")) return not_measured("there is no GPU");
    Cublas& rival = Cublas::get();
    if (!rival.present()) return not_measured("cuBLAS is absent");
    BlasMachine machine("gpu");
    BlasProblem problem(machine, call, n);
    const Copies copies(problem);
    const int calls = call.routine < Routine::gemm ? 20 : n <= 1024 ? 50 : n <= 4096 ? 8 : 3;
    const Sample ours = [&] { return problem.run(calls); };
    const Sample theirs = [&]() -> tl::expected<double, std::string> {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) rival.run(problem.call(), copies.memory());
      rival.finish();
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                 .count() /
             calls;
    };
    const auto pairs = interleave(theirs, ours, 9, 2);
    if (!pairs) return not_measured(pairs.error());
    Figure figure = ratio(*pairs, "ms");
    const bool streams = call.routine < Routine::gemm;
    const double work = streams ? problem.traffic() * 1e-6 : problem.operations() * 1e-9;
    figure.detail += fmt::format(", {:.1f} {} against {:.1f}", work / median(pairs->second),
                                 streams ? "GB/s" : "TFLOP/s", work / median(pairs->first));
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
  const std::string name = std::string(1, letter(precision)) + std::string(name_of(routine));
  return {fmt::format("blas/gpu-{}-{}", name, n),
          fmt::format("{} of {} x {} on the GPU, against cuBLAS", name, n, n),
          Holds::at_least,
          limit,
          "of its speed",
          [call, n](const Context&) { return against_vendor(call, n); }};
}

}  // namespace

std::vector<Bar> gpu_product_bars() {
  return {bar(Routine::gemm, Precision::s, 1024, 0.5), bar(Routine::gemm, Precision::s, 4096, 0.7),
          bar(Routine::gemm, Precision::s, 8192, 0.7), bar(Routine::gemm, Precision::d, 4096, 0.6),
          bar(Routine::gemm, Precision::d, 8192, 0.6), bar(Routine::gemm, Precision::c, 4096, 0.5),
          bar(Routine::gemm, Precision::z, 4096, 0.5), bar(Routine::trsm, Precision::s, 4096, 0.3)};
}

std::vector<Bar> gpu_stream_bars() {
  return {bar(Routine::gemv, Precision::s, 16384, 0.9),
          bar(Routine::axpy, Precision::s, std::size_t{1} << 27, 0.9)};
}

}  // namespace kiln::bench
