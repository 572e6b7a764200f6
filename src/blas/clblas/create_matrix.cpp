// Buffers for matrices.

#include "blas/clblas/interface.hpp"

namespace {

/// Columns, or rows, that lie one after the other.
struct Layout {
  size_t length, lines;
};

bool layout_of(clblasOrder order, size_t rows, size_t columns, Layout& layout) {
  layout = order == clblasRowMajor ? Layout{columns, rows} : Layout{rows, columns};
  return (order == clblasRowMajor || order == clblasColumnMajor) && rows != 0 && columns != 0;
}

clblasStatus size_of(const Layout& layout, size_t ld, size_t element, size_t& bytes) {
  const bool fits = element != 0 && ld >= layout.length &&
                    !__builtin_mul_overflow(layout.lines, ld, &bytes) &&
                    !__builtin_mul_overflow(bytes, element, &bytes);
  return fits ? clblasSuccess : clblasInvalidValue;
}

template <class T>
void set(T* where, T value) {
  if (where != nullptr) *where = value;
}

cl_mem failure(cl_int* err, clblasStatus status) {
  set(err, static_cast<cl_int>(status));
  return nullptr;
}

}  // namespace

clblasStatus clblasMatrixSizeInfo(clblasOrder order, size_t rows, size_t columns, size_t element,
                                  size_t padding, size_t* ld, size_t* fullsize) {
  Layout layout{};
  size_t line = 0, bytes = 0;
  if (!layout_of(order, rows, columns, layout) ||
      __builtin_add_overflow(layout.length, padding, &line))
    return clblasInvalidValue;
  if (const auto status = size_of(layout, line, element, bytes); status != clblasSuccess)
    return status;
  set(ld, line);
  set(fullsize, bytes);
  return clblasSuccess;
}

cl_mem clblasCreateMatrix(cl_context context, clblasOrder order, size_t rows, size_t columns,
                          size_t element, size_t padding, size_t* ld, size_t* fullsize,
                          cl_int* err) {
  size_t line = 0;
  const auto status = clblasMatrixSizeInfo(order, rows, columns, element, padding, &line, nullptr);
  if (status != clblasSuccess) return failure(err, status);
  set(ld, line);
  return clblasCreateMatrixWithLd(context, order, rows, columns, element, line, fullsize, err);
}

cl_mem clblasCreateMatrixWithLd(cl_context context, clblasOrder order, size_t rows, size_t columns,
                                size_t element, size_t ld, size_t* fullsize, cl_int* err) {
  Layout layout{};
  size_t bytes = 0;
  if (!layout_of(order, rows, columns, layout)) return failure(err, clblasInvalidValue);
  if (const auto status = size_of(layout, ld, element, bytes); status != clblasSuccess)
    return failure(err, status);
  set(fullsize, bytes);
  return ::clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, err);
}

// clBLAS's own copies the wrong rows to the wrong places, and only row-major matrices at all; this
// is what its description says.
cl_mem clblasCreateMatrixFromHost(cl_context context, clblasOrder order, size_t rows,
                                  size_t columns, size_t element, size_t ld, void* host,
                                  size_t off_host, size_t ld_host, cl_command_queue queue,
                                  cl_uint wait_count, const cl_event* waits, cl_int* err) {
  cl_mem matrix =
      clblasCreateMatrixWithLd(context, order, rows, columns, element, ld, nullptr, err);
  if (matrix == nullptr) return nullptr;
  const auto status = clblasWriteMatrix(order, rows, columns, element, host, off_host, ld_host,
                                        matrix, 0, ld, queue, wait_count, waits);
  if (status == clblasSuccess) return matrix;
  ::clReleaseMemObject(matrix);
  return failure(err, status);
}
