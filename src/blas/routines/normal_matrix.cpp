#include "blas/routines/normal_matrix.hpp"

#include <algorithm>
#include <utility>

namespace kiln::blas {
namespace {

enum class Storage { general, packed, band };

Storage storage_of(Routine routine) {
  switch (routine) {
    case Routine::gbmv:
    case Routine::tbmv:
    case Routine::tbsv:
    case Routine::sbmv:
    case Routine::hbmv:
      return Storage::band;
    case Routine::tpmv:
    case Routine::tpsv:
    case Routine::spmv:
    case Routine::hpmv:
    case Routine::spr:
    case Routine::hpr:
    case Routine::spr2:
    case Routine::hpr2:
      return Storage::packed;
    default:
      return Storage::general;
  }
}

bool is_rectangular(Routine routine) {
  return routine == Routine::gemv || routine == Routine::gbmv || routine == Routine::ger ||
         routine == Routine::gerc;
}

/// Sizes and reach, as the caller means them; a reach is never more than what there is.
NormalMatrix shape_of(const Call& call, Storage storage) {
  NormalMatrix shape;
  const auto size = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  shape.n = size(call.n);
  shape.m = is_rectangular(call.routine) ? size(call.m) : shape.n;
  shape.up = shape.n;
  shape.down = shape.m;
  if (is_rectangular(call.routine)) {
    if (storage == Storage::band) {
      shape.up = size(std::min(call.ku, call.n));
      shape.down = size(std::min(call.kl, call.m));
    }
    return shape;
  }
  const std::int64_t reach = storage == Storage::band ? size(std::min(call.k, call.n)) : shape.n;
  shape.up = call.uplo == Uplo::upper ? reach : 0;
  shape.down = call.uplo == Uplo::upper ? 0 : reach;
  return shape;
}

}  // namespace

NormalMatrix normal_matrix(const Call& call) {
  const Storage storage = storage_of(call.routine);
  NormalMatrix matrix = shape_of(call, storage);
  std::int64_t above = is_rectangular(call.routine) ? static_cast<std::int64_t>(call.ku)
                       : call.uplo == Uplo::upper   ? static_cast<std::int64_t>(call.k)
                                                    : 0;
  if (call.order == Order::row_major) {
    above = is_rectangular(call.routine) ? static_cast<std::int64_t>(call.kl)
            : call.uplo == Uplo::upper   ? 0
                                         : static_cast<std::int64_t>(call.k);
    std::swap(matrix.m, matrix.n);
    std::swap(matrix.up, matrix.down);
    matrix.flipped = true;
  }
  switch (storage) {
    case Storage::general:
      matrix.step = call[Slot::a].stride;
      break;
    case Storage::band:
      matrix.step = call[Slot::a].stride - 1;
      matrix.start = above;  // where the diagonal lies in a column
      break;
    case Storage::packed:
      matrix.step = matrix.down > 0 ? matrix.n : 0;
      matrix.growth = matrix.down > 0 ? -1 : 1;
      break;
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
  to.memory(Slot::a).offset(Slot::a, start).number(step).number(growth);
  to.number(m).number(n).number(up).number(down);
}

}  // namespace kiln::blas
