#include "blas/tune/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::blas {
namespace {

double eps_of(Precision precision) {
  return is_double(precision) ? std::numeric_limits<double>::epsilon()
                              : std::numeric_limits<float>::epsilon();
}

/// How many products are added up, at most, for one number of a result.
std::size_t sum_length(const Call& call) {
  switch (call.routine) {
    case Routine::gemm:
    case Routine::syrk:
    case Routine::herk:
      return call.k;
    case Routine::syr2k:
    case Routine::her2k:
      return 2 * call.k;
    case Routine::symm:
    case Routine::hemm:
    case Routine::trmm:
    case Routine::trsm:
      return call.side == Side::left ? call.m : call.n;
    case Routine::gemv:
      return call.trans_a == Transpose::none ? call.n : call.m;
    default:  // square ones
      return call.n;
  }
}

}  // namespace

double tolerance_of(const Call& call) {
  const double parts = is_complex(call.precision) ? 2 : 1;
  const double sum = static_cast<double>(sum_length(call)) * parts;
  return 4 * eps_of(call.precision) *
         (sum * std::max(1.0, std::abs(call.alpha)) + std::abs(call.beta));
}

}  // namespace kiln::blas
