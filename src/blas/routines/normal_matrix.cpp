#include "blas/routines/normal_matrix.hpp"

#include <algorithm>
#include <utility>

#include "blas/call/routine_traits.hpp"

namespace kiln::blas {
namespace {

std::int64_t number(std::size_t value) { return static_cast<std::int64_t>(value); }

/// Diagonals above and below the main one that are stored, as the caller means them: of a band as
/// many as it says.
struct Diagonals {
  std::int64_t up, down;

  explicit Diagonals(const Call& call)
      : up(number(has(call.routine, trait::band) ? call.ku : call.n)),
        down(number(has(call.routine, trait::band) ? call.kl : call.m)) {
    if (has(call.routine, trait::rectangular)) return;
    const std::int64_t width = number(has(call.routine, trait::band) ? call.k : call.n);
    up = call.uplo == Uplo::upper ? width : 0;
    down = call.uplo == Uplo::upper ? 0 : width;
  }
};

}  // namespace

NormalMatrix normal_matrix(const Call& call) {
  Diagonals stored(call);
  NormalMatrix matrix;
  matrix.n = number(call.n);
  matrix.m = has(call.routine, trait::rectangular) ? number(call.m) : matrix.n;
  if (call.order == Order::row_major) {
    std::swap(matrix.m, matrix.n);
    std::swap(stored.up, stored.down);
    matrix.flipped = true;
  }
  matrix.up = std::min(stored.up, matrix.n);
  matrix.down = std::min(stored.down, matrix.m);
  if (has(call.routine, trait::packed)) {
    matrix.step = matrix.down > 0 ? matrix.n : 0;
    matrix.growth = matrix.down > 0 ? -1 : 1;
  } else if (has(call.routine, trait::band)) {
    matrix.step = call[Slot::a].stride - 1;
    matrix.start = stored.up;  // where the diagonal lies in a column
  } else {
    matrix.step = call[Slot::a].stride;
  }
  return matrix;
}

MatrixOp normal_op(const NormalMatrix& matrix, Transpose trans) {
  return {(trans != Transpose::none) != matrix.flipped, trans == Transpose::conjugate};
}

double NormalMatrix::area() const {
  const std::int64_t samples = std::min<std::int64_t>(n, 256);
  double sum = 0;
  for (std::int64_t k = 0; k < samples; ++k)
    sum += static_cast<double>(rows_of(k * n / samples + n / (2 * samples)));
  return sum * static_cast<double>(n) / static_cast<double>(samples);
}

NormalMatrix NormalMatrix::without_diagonal() const {
  NormalMatrix strict = *this;
  (up == 0 ? strict.up : strict.down) = -1;
  return strict;
}

void NormalMatrix::put(SequenceBuilder::Arguments& to) const {
  to.operand(Slot::a, start).numbers(step, growth, m, n, up, down);
}

}  // namespace kiln::blas
