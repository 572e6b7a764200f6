#pragma once

#include <cstddef>

#include "blas/clblas/interface.hpp"

namespace kiln::blas {

/// An area of a matrix as the helpers of the C interface describe it, in elements: the matrix in
/// its memory, and the row and column of the area's first element.
struct MatrixPart {
  size_t offset, ld, rows, columns, row, column;
  /// A vector is a matrix of one column.
  static MatrixPart vector(size_t offset, size_t n) { return {offset, n, n, 1, 0, 0}; }
  static MatrixPart whole(size_t offset, size_t ld, size_t rows, size_t columns) {
    return {offset, ld, rows, columns, 0, 0};
  }
};

/// Rows and columns of an area, whatever the order.
struct Extent {
  size_t rows, columns;
  bool is_empty() const { return rows == 0 || columns == 0; }
};

/// Where the lines (columns, or rows) of an area are: bytes from the start of the memory to the
/// first one, and from each to the next.
struct Lines {
  size_t first = 0, pitch = 0;
  /// `first` as OpenCL's rectangular commands want it; they add up what they get.
  struct Origin {
    size_t at[3];
  };
  Origin origin(size_t lines_further = 0) const {
    return {{first % pitch, first / pitch + lines_further, 0}};
  }
};

/// An area in bytes, without its place.
struct ByteBlock {
  size_t length = 0;  ///< of a line
  size_t lines = 0;
  bool is_contiguous(const Lines& in) const { return lines == 1 || in.pitch == length; }
};

/// The block of an area that is not empty, in elements of the given size; false where the sizes
/// are no OpenCL command's.
bool block_of(clblasOrder order, size_t element, const Extent& extent, ByteBlock& block);

/// The place of such a block in a matrix; false where it is not inside, or the matrix is not one.
bool lines_of(clblasOrder order, size_t element, const MatrixPart& part, const Extent& extent,
              Lines& lines);

}  // namespace kiln::blas
