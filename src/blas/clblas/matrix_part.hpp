#pragma once

#include <cstddef>

#include "blas/api/entry.hpp"
#include "blas/clblas/interface.hpp"

// What the helpers for matrices work on: areas of matrices, and queues.
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

/// Where a helper's work goes, what it waits for, and how its end is known: by an event, where one
/// is wanted, or by the function's return.
struct Commands {
  cl_command_queue queue;
  cl_uint wait_count;
  const cl_event* waits;
  cl_event* event = nullptr;
  cl_bool blocking = CL_TRUE;  ///< the function returns when the work has ended

  /// Whether the queue is one: asked each time, since a queue that was released may have left its
  /// address to another object.
  bool has_queue() const { return kiln_is_queue(queue); }

  /// For commands that cannot block: enqueues by `enqueue(cl_event*)`, and waits where the
  /// function must.
  template <class Enqueue>
  clblasStatus finish(const Enqueue& enqueue) const {
    if (blocking == CL_FALSE) return static_cast<clblasStatus>(enqueue(event));
    cl_event done = nullptr;
    cl_int status = enqueue(&done);
    if (status != CL_SUCCESS) return static_cast<clblasStatus>(status);
    status = ::clWaitForEvents(1, &done);
    ::clReleaseEvent(done);
    return static_cast<clblasStatus>(status);
  }

  /// What is done for an empty area: nothing, after what it waits for.
  clblasStatus only_wait() const {
    return finish([this](cl_event* end) {
      return ::clEnqueueBarrierWithWaitList(queue, wait_count, waits, end);
    });
  }
};

}  // namespace kiln::blas
