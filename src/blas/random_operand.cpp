#include "blas/random_operand.hpp"

#include <random>

namespace kiln::blas {
namespace {

bool is_triangular(Routine routine) {
  switch (routine) {
    case Routine::trmm:
    case Routine::trsm:
    case Routine::trmv:
    case Routine::trsv:
    case Routine::tbmv:
    case Routine::tbsv:
    case Routine::tpmv:
    case Routine::tpsv:
      return true;
    default:
      return false;
  }
}

/// Where element (i, i) of a square matrix is.
std::size_t diagonal(const Call& call, const Use& use, std::size_t n, std::size_t i) {
  // In a line, the diagonal comes last or first.
  const bool last = (call.uplo == Uplo::upper) == (call.order == Order::column_major);
  if (use.form == Use::Form::packed) return last ? i * (i + 3) / 2 : i * (2 * n - i + 1) / 2;
  if (use.length == n && use.lines == n) return i * (n + 1);
  return i * use.length + (last ? use.length - 1 : 0);  // a band's
}

template <class R>
void random_numbers(R* to, std::size_t count, R scale, unsigned seed) {
  std::minstd_rand random(seed);
  std::uniform_real_distribution<R> number(-1, 1);
  for (std::size_t i = 0; i < count; ++i) to[i] = number(random) * scale;
}

}  // namespace

void fill_at_random(const Call& call, const Use& use, void* block) {
  const std::size_t count = use.length * use.lines, parts = is_complex(call.precision) ? 2 : 1;
  const bool heavy = is_triangular(call.routine) && use.slot == Slot::a;
  const std::size_t n = call.routine < Routine::gemm || call.side == Side::right ? call.n : call.m;
  const auto numbers = [&](auto* to) {
    using R = std::remove_pointer_t<decltype(to)>;
    // Results that are no vector's elements: an index, a norm.
    const std::size_t reals = count * use.element / sizeof(R);
    random_numbers(to, reals, heavy ? R(1) / static_cast<R>(n) : R(1),
                   1 + static_cast<unsigned>(use.slot));
    if (heavy)
      for (std::size_t i = 0; i < n; ++i) to[diagonal(call, use, n, i) * parts] = 1;
  };
  if (is_double(call.precision) && use.element >= sizeof(double))
    numbers(static_cast<double*>(block));
  else
    numbers(static_cast<float*>(block));
}

}  // namespace kiln::blas
