#include "blas/clblas/matrix_part.hpp"

#include <utility>

namespace kiln::blas {
namespace {

// clBLAS's own limit: it counts with int.
constexpr size_t too_many = size_t{1} << 31;

bool lies_inside(size_t start, size_t count, size_t size) {
  return size < too_many && start <= size && count <= size - start;
}

/// to += a * b, where that is a size_t.
bool add_product(size_t& to, size_t a, size_t b) {
  size_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(to, product, &to);
}

}  // namespace

bool block_of(clblasOrder order, size_t element, const Extent& extent, ByteBlock& block) {
  const bool by_rows = order == clblasRowMajor;
  if (element == 0 || (!by_rows && order != clblasColumnMajor)) return false;
  block.length = 0;
  block.lines = by_rows ? extent.rows : extent.columns;
  return add_product(block.length, by_rows ? extent.columns : extent.rows, element);
}

bool lines_of(clblasOrder order, size_t element, const MatrixPart& part, const Extent& extent,
              Lines& lines) {
  if (!lies_inside(part.row, extent.rows, part.rows) ||
      !lies_inside(part.column, extent.columns, part.columns))
    return false;
  const bool by_rows = order == clblasRowMajor;
  const size_t length = by_rows ? extent.columns : extent.rows;
  const size_t count = by_rows ? extent.rows : extent.columns;
  // With one line there is no next one: any leading dimension will do.
  const size_t ld = count == 1 ? length : part.ld;
  if (ld < length) return false;
  size_t first = by_rows ? part.column : part.row;
  lines = {};
  return add_product(first, part.offset, 1) &&
         add_product(first, by_rows ? part.row : part.column, part.ld) &&
         add_product(lines.first, first, element) && add_product(lines.pitch, ld, element);
}

}  // namespace kiln::blas
