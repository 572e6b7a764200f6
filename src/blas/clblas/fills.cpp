// Matrices and vectors set to one value.

#include <algorithm>
#include <utility>

#include "blas/clblas/commands.hpp"
#include "blas/clblas/matrix_part.hpp"

namespace kiln::blas {
namespace {

bool is_element_size(size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/// Sets the first line, then copies what is set behind it, twice as much each time: a number of
/// commands that grows with the logarithm of the lines', and no kernel.
cl_int fill_lines(cl_mem memory, const Lines& lines, const ByteBlock& block, const void* pattern,
                  size_t element, const Commands& on, cl_event* end) {
  cl_event last = nullptr;
  cl_int status = ::clEnqueueFillBuffer(on.queue(), memory, pattern, element, lines.first,
                                        block.length, on.wait_count(), on.waits(), &last);
  for (size_t done = 1; status == CL_SUCCESS && done < block.lines;) {
    const size_t more = std::min(done, block.lines - done);
    const size_t region[] = {block.length, more, 1};
    cl_event next = nullptr;
    status = ::clEnqueueCopyBufferRect(on.queue(), memory, memory, lines.origin().at,
                                       lines.origin(done).at, region, lines.pitch, 0, lines.pitch,
                                       0, 1, &last, &next);
    if (status == CL_SUCCESS) ::clReleaseEvent(std::exchange(last, next));
    done += more;
  }
  if (status == CL_SUCCESS && end != nullptr) *end = std::exchange(last, nullptr);
  if (last != nullptr) ::clReleaseEvent(last);
  return status;
}

clblasStatus fill(clblasOrder order, size_t element, cl_mem memory, const MatrixPart& part,
                  const Extent& extent, const void* pattern, const Commands& on) {
  ByteBlock block;
  Lines lines;
  if (!block_of(order, element, extent, block) || !is_element_size(element))
    return clblasInvalidValue;
  if (!on.has_queue()) return clblasInvalidCommandQueue;
  if (extent.is_empty()) return on.only_wait();
  if (!lines_of(order, element, part, extent, lines)) return clblasInvalidValue;
  return on.finish([&](cl_event* event) {
    if (!block.is_contiguous(lines))
      return fill_lines(memory, lines, block, pattern, element, on, event);
    return ::clEnqueueFillBuffer(on.queue(), memory, pattern, element, lines.first,
                                 block.length * block.lines, on.wait_count(), on.waits(), event);
  });
}

}  // namespace
}  // namespace kiln::blas

using kiln::blas::Commands;
using kiln::blas::fill;
using kiln::blas::MatrixPart;

clblasStatus clblasFillVector(size_t n, size_t element, cl_mem A, size_t offA, const void* pattern,
                              cl_command_queue queue, cl_uint wait_count, const cl_event* waits) {
  return fill(clblasColumnMajor, element, A, MatrixPart::vector(offA, n), {n, 1}, pattern,
              Commands(queue, wait_count, waits));
}

clblasStatus clblasFillVectorAsync(size_t n, size_t element, cl_mem A, size_t offA,
                                   const void* pattern, cl_command_queue queue, cl_uint wait_count,
                                   const cl_event* waits, cl_event* event) {
  return fill(clblasColumnMajor, element, A, MatrixPart::vector(offA, n), {n, 1}, pattern,
              Commands(queue, wait_count, waits, event));
}

clblasStatus clblasFillMatrix(clblasOrder order, size_t element, cl_mem A, size_t offA, size_t ldA,
                              size_t nrA, size_t ncA, const void* pattern, cl_command_queue queue,
                              cl_uint wait_count, const cl_event* waits) {
  return fill(order, element, A, MatrixPart::whole(offA, ldA, nrA, ncA), {nrA, ncA}, pattern,
              Commands(queue, wait_count, waits));
}

clblasStatus clblasFillMatrixAsync(clblasOrder order, size_t element, cl_mem A, size_t offA,
                                   size_t ldA, size_t nrA, size_t ncA, const void* pattern,
                                   cl_command_queue queue, cl_uint wait_count,
                                   const cl_event* waits, cl_event* event) {
  return fill(order, element, A, MatrixPart::whole(offA, ldA, nrA, ncA), {nrA, ncA}, pattern,
              Commands(queue, wait_count, waits, event));
}

clblasStatus clblasFillSubMatrix(clblasOrder order, size_t element, cl_mem A, size_t offA,
                                 size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA,
                                 size_t nx, size_t ny, const void* pattern, cl_command_queue queue,
                                 cl_uint wait_count, const cl_event* waits) {
  return fill(order, element, A, {offA, ldA, nrA, ncA, xA, yA}, {nx, ny}, pattern,
              Commands(queue, wait_count, waits));
}

clblasStatus clblasFillSubMatrixAsync(clblasOrder order, size_t element, cl_mem A, size_t offA,
                                      size_t ldA, size_t nrA, size_t ncA, int xA, int yA, size_t nx,
                                      size_t ny, const void* pattern, cl_command_queue queue,
                                      cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (xA < 0 || yA < 0) return clblasInvalidValue;
  const MatrixPart part{offA, ldA, nrA, ncA, static_cast<size_t>(xA), static_cast<size_t>(yA)};
  return fill(order, element, A, part, {nx, ny}, pattern,
              Commands(queue, wait_count, waits, event));
}
