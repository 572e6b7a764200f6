#include "blas/tune/usual_problems.hpp"

#include <algorithm>

#include "blas/call_work.hpp"

namespace kiln::blas {
namespace {

/// How the sizes of the list are called.
struct Sizes {
  std::size_t small, medium, large;
};

/// A GPU needs larger problems to be busy, and comes to their end sooner.
Sizes sizes_of(const TuningDevice& device) {
  return device.is_cpu ? Sizes{128, 1024, 2048} : Sizes{256, 2048, 8192};
}

class List {
 public:
  List(const Sizes& sizes, Precision precision) : sizes_(sizes) { made_.precision = precision; }

  /// Everything of a precision, in ranks: 0 matters most.
  std::vector<std::pair<int, UsualProblem>> take() {
    add_gemm();
    add_level_3();
    add_level_2();
    return std::move(problems_);
  }

 private:
  using enum Transpose;
  static constexpr Transpose both[] = {none, transpose};

  void add(int rank, double weight, Routine routine, std::size_t size) {
    Call call = made_;
    call.routine = routine;
    call.order = Order::column_major;
    call.diag = Diag::non_unit;
    call.m = call.n = call.k = size;
    call.alpha = 1;
    problems_.push_back({rank, {contiguous(call), weight}});
  }
  void add_gemm() {
    for (const auto a : both)
      for (const auto b : both) {
        made_.trans_a = a, made_.trans_b = b;
        add(0, 4, Routine::gemm, sizes_.medium);
        add(1, 3, Routine::gemm, sizes_.large);
        add(1, 2, Routine::gemm, sizes_.small);
      }
    made_.trans_a = made_.trans_b = none;
  }
  void add_level_3() {
    const bool complex = made_.precision == Precision::c || made_.precision == Precision::z;
    for (const auto size : {sizes_.medium, sizes_.large}) {
      for (const auto routine : {complex ? Routine::herk : Routine::syrk, Routine::trsm})
        for (const auto a : both) {
          made_.trans_a = a;
          if (routine != Routine::trsm) {
            add(2, 2, routine, size);
            continue;
          }
          for (const auto side : {Side::left, Side::right})
            for (const auto uplo : {Uplo::lower, Uplo::upper}) {
              made_.side = side, made_.uplo = uplo;
              add(2, 2, routine, size);
            }
        }
      made_.trans_a = none, made_.side = Side::left, made_.uplo = Uplo::lower;
      for (const auto routine : {complex ? Routine::her2k : Routine::syr2k,
                                 complex ? Routine::hemm : Routine::symm, Routine::trmm})
        add(3, 1, routine, size);
    }
  }
  void add_level_2() {
    for (const auto a : both) {
      made_.trans_a = a;
      for (const auto size : {sizes_.medium, sizes_.large}) add(4, 1, Routine::gemv, size);
      // Both triangles are one problem class.
      add(5, 1, Routine::trsv, sizes_.large);
    }
  }

  Sizes sizes_;
  Call made_;
  std::vector<std::pair<int, UsualProblem>> problems_;
};

}  // namespace

std::vector<UsualProblem> usual_problems(const TuningDevice& device, bool doubles) {
  std::vector<std::pair<int, UsualProblem>> ranked;
  for (const auto precision : {Precision::s, Precision::d, Precision::c, Precision::z}) {
    if (!doubles && is_double(precision)) continue;
    auto some = List(sizes_of(device), precision).take();
    ranked.insert(ranked.end(), some.begin(), some.end());
  }
  const auto rank = [](const auto& one) {
    return std::pair(is_complex(one.second.call.precision), one.first);
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<UsualProblem> problems;
  for (auto& one : ranked) problems.push_back(std::move(one.second));
  return problems;
}

}  // namespace kiln::blas
