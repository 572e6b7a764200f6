// Products of skinny and odd shapes: the worst of sixty against the better of the rivals. One bar a
// device; each shape is also a line of its own where KILN_BENCH_SHAPES is set.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "blas/bars.hpp"
#include "blas/cublas.hpp"
#include "blas/duel.hpp"
#include "frame/statistics.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

struct Shape3 {
  std::size_t m, n, k;
};

/// Sixty products: results of one to 32 rows or columns with a large depth, large results with a
/// depth of 1 to 64, and sizes that no tile divides; transposes in turn. All are work for a tenth
/// of a millisecond: below that what counts is a launch, which OpenCL has and a library for the
/// host has not.
std::vector<Call> grid(std::size_t large, std::size_t deep) {
  std::vector<Shape3> shapes;
  for (const std::size_t few : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    shapes.push_back({few, large, deep});
    shapes.push_back({large, few, deep});
    shapes.push_back({few, few, deep * 128});
  }
  for (const std::size_t depth : {1, 2, 4, 8, 12, 16, 32, 64}) {
    shapes.push_back({large, large, depth});
    shapes.push_back({large / 2 + 1, large + 3, depth});
  }
  for (const std::size_t size :
       {200, 257, 300, 333, 384, 500, 511, 641, 700, 777, 1000, 1023, 1025})
    shapes.push_back({size, size + 1, size - 1});
  shapes.push_back({large, 100, 100});
  constexpr Transpose both[] = {Transpose::none, Transpose::transpose};
  std::vector<Call> calls;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Call call = measured_call(Routine::gemm, i % 5 == 4 ? Precision::d : Precision::s, 8);
    call.m = shapes[i].m;
    call.n = shapes[i].n;
    call.k = shapes[i].k;
    call.trans_a = both[i % 2];
    call.trans_b = both[i / 2 % 2];
    calls.push_back(rival::contiguous(call));
  }
  return calls;
}

std::string text_of(const Call& call) {
  const auto letter_of = [](Transpose trans) { return trans == Transpose::none ? 'n' : 't'; };
  return fmt::format("{} {}{} {} x {} x {}", name_of(call), letter_of(call.trans_a),
                     letter_of(call.trans_b), call.m, call.n, call.k);
}

/// Milliseconds of Kiln's call, and of the best other's.
struct Times {
  double ours, theirs;
};

Outcome worst_of(const std::vector<Call>& calls, const std::function<Times(const Call&)>& times) {
  const bool tells_all = std::getenv("KILN_BENCH_SHAPES") != nullptr;
  double worst = 0, logarithms = 0;
  std::string which;
  for (const Call& call : calls) {
    const Times measured = times(call);
    const double speed = measured.theirs / measured.ours;
    if (tells_all)
      fmt::print(stderr, "{:<32} {:7.3f}  ({:.4f} against {:.4f} ms)\n", text_of(call), speed,
                 measured.ours, measured.theirs);
    logarithms += std::log(speed);
    if (which.empty() || speed < worst) {
      worst = speed;
      which = text_of(call);
    }
  }
  Figure figure;
  figure.value = worst;
  figure.detail = fmt::format("{}; mean of {}: {:.2f}", which, calls.size(),
                              std::exp(logarithms / static_cast<double>(calls.size())));
  return figure;
}

Outcome on_cpu() {
  rival::Machine machine("cpu");
  return worst_of(grid(1024, 2048), [&](const Call& call) {
    rival::Problem problem(machine, call);
    std::vector<rival::Contender> sides{rival::openblas_side(problem), rival::kiln_side(problem)};
    if (!sides[0].absent.empty()) throw std::runtime_error(sides[0].absent);
    rival::measure(sides, 15);
    return Times{median(sides[1].samples), median(sides[0].samples)};
  });
}

}  // namespace

std::vector<Bar> shape_grid_bars() {
  return {{"blas/shapes",
           "the slowest of 60 shapes of products on the CPU device, against OpenBLAS",
           Holds::at_least, 0.6, "of its speed", [](const Context&) { return on_cpu(); }}};
}

}  // namespace kiln::bench
