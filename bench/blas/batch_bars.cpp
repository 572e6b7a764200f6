// Batches of small products: on CPU devices against a loop over OpenBLAS, on a GPU against cuBLAS's
// strided batches.
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <thread>

#include "base/clock.hpp"
#include "blas/bars.hpp"
#include "blas/cublas.hpp"
#include "blas/duel.hpp"
#include "rival/libraries.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

Call batch_of(Precision precision, std::size_t n, std::size_t items) {
  Call call = measured_call(Routine::gemm, precision, n);
  call.batch = items;
  for (const Slot slot : {Slot::a, Slot::b, Slot::c})
    call[slot].batch_stride = static_cast<std::int64_t>(n * n);
  return call;
}

/// A loop over CBLAS's gemm, whose function is looked up once, for all items of a problem.
template <class T>
class Loop {
 public:
  explicit Loop(const rival::Problem& problem)
      : call_(problem.call()),
        memory_(problem.memory()),
        function_(rival::Cblas::get().function<Function>(
            "cblas_" + std::string(1, letter(call_.precision)) + "gemm")) {}

  /// Cut for so many threads.
  void run(std::size_t threads) const {
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i)
      others.emplace_back(
          [this, i, threads] { run(call_.batch * i / threads, call_.batch * (i + 1) / threads); });
    run(0, call_.batch / threads);
    for (auto& other : others) other.join();
  }

 private:
  static constexpr bool is_complex = !std::is_floating_point_v<T>;
  using Number = std::conditional_t<is_complex, const void*, T>;
  using Function = void(int, int, int, int, int, int, Number, const T*, int, const T*, int, Number,
                        T*, int);

  void run(std::size_t from, std::size_t to) const {
    const auto n = static_cast<int>(call_.n);
    const auto at = [&](Slot slot, std::size_t item) {
      return static_cast<T*>(memory_[static_cast<std::size_t>(slot)]) + item * call_.n * call_.n;
    };
    const T alpha(static_cast<RealOf<T>>(call_.alpha.real())),
        beta(static_cast<RealOf<T>>(call_.beta.real()));
    const auto number = [](const T& value) -> Number {
      if constexpr (is_complex)
        return &value;
      else
        return value;
    };
    constexpr int by_columns = 102, as_is = 111;
    for (std::size_t item = from; item < to; ++item)
      function_(by_columns, as_is, as_is, n, n, n, number(alpha), at(Slot::a, item), n,
                at(Slot::b, item), n, number(beta), at(Slot::c, item), n);
  }

  const Call& call_;
  const std::array<void*, slot_count>& memory_;
  Function* function_;
};

/// The faster of a loop on one thread and one on as many as there are compute units.
template <class T>
Outcome against_loop(const Call& call) {
  rival::Machine machine("cpu");
  rival::Problem problem(machine, call);
  if (!rival::Cblas::get().present()) return not_measured("OpenBLAS is not installed");
  const Loop<T> loop(problem);
  const auto milliseconds = [&](std::size_t threads) {
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
      const auto start = now_ns();
      loop.run(threads);
      least = std::min(least, static_cast<double>(now_ns() - start) * 1e-6);
    }
    return least;
  };
  const std::size_t all = machine.device().compute_units;
  const std::size_t threads = milliseconds(1) <= milliseconds(all) ? 1 : all;
  auto theirs = rival::side_of("OpenBLAS in a loop", [&] { loop.run(threads); });
  theirs.spins = true;
  Outcome outcome = duel(problem, std::move(theirs), rival::kiln_side(problem), 9);
  return outcome;
}

Bar cpu_bar(Precision precision, std::size_t n) {
  const Call call = batch_of(precision, n, 10'000);
  return {fmt::format("blas/batch-{}-{}", name_of(call), n),
          fmt::format("{} products of {} x {} in one call on the CPU device, against a loop over "
                      "OpenBLAS on one thread, or on all cores where that is faster",
                      call.batch, n, n),
          Holds::at_least,
          1.0,
          "x faster",
          [call](const Context&) {
            switch (call.precision) {
              case Precision::s:
                return against_loop<float>(call);
              case Precision::d:
                return against_loop<double>(call);
              case Precision::c:
                return against_loop<std::complex<float>>(call);
              default:
                return against_loop<std::complex<double>>(call);
            }
          }};
}

Bar gpu_bar(Precision precision, std::size_t n, std::size_t items,
            Storage stored = Storage::native) {
  Call call = batch_of(precision, n, items);
  for (const Slot slot : {Slot::a, Slot::b, Slot::c}) call[slot].stored = stored;
  return {fmt::format("blas/gpu-batch-{}-{}", stored == Storage::half ? "hgemm" : name_of(call), n),
          fmt::format("{} products of {} x {} in one call on the GPU, against cuBLAS's strided "
                      "batches",
                      items, n, n),
          Holds::at_least,
          0.8,
          "of its speed",
          [call](const Context&) { return against_cublas(call, 20); }};
}

}  // namespace

std::vector<Bar> batch_bars() {
  std::vector<Bar> bars;
  for (const auto precision : {Precision::s, Precision::d})
    for (const std::size_t n : {8, 16, 23, 32}) bars.push_back(cpu_bar(precision, n));
  for (const auto precision : {Precision::c, Precision::z}) bars.push_back(cpu_bar(precision, 16));
  bars.push_back(gpu_bar(Precision::d, 23, 100'000));
  bars.push_back(gpu_bar(Precision::s, 64, 10'000));
  bars.push_back(gpu_bar(Precision::s, 64, 10'000, Storage::half));
  return bars;
}

}  // namespace kiln::bench
