#include <algorithm>
#include <type_traits>
#include <utility>

#include "blas/clblas/interface.hpp"
#include "blas/clblas/matrix_part.hpp"

// clBLAS's helpers for matrices and vectors: buffers that hold them, transfers between them and the
// host, and fills.

// ---- Buffers for matrices
namespace {

/// Bytes of a matrix; 0 where there is none of this kind.
size_t bytes_of(clblasOrder order, size_t rows, size_t columns, size_t ld, size_t element) {
  const bool by_rows = order == clblasRowMajor;
  const size_t length = by_rows ? columns : rows, lines = by_rows ? rows : columns;
  size_t bytes = 0;
  const bool fits = (by_rows || order == clblasColumnMajor) && length != 0 && ld >= length &&
                    !__builtin_mul_overflow(lines, ld, &bytes) &&
                    !__builtin_mul_overflow(bytes, element, &bytes);
  return fits ? bytes : 0;
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
  size_t line = 0;
  if (__builtin_add_overflow(order == clblasRowMajor ? columns : rows, padding, &line))
    return clblasInvalidValue;
  const size_t bytes = bytes_of(order, rows, columns, line, element);
  if (bytes == 0) return clblasInvalidValue;
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
  const size_t bytes = bytes_of(order, rows, columns, ld, element);
  if (bytes == 0) return failure(err, clblasInvalidValue);
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

// ---- Matrices and vectors between the host and buffers, and between buffers

namespace kiln::blas {
namespace {

/// The three directions, each with one command for contiguous areas, which drivers do faster, and
/// one for all others.
struct Write {
  static clblasStatus run(const void* from, const Lines& source, cl_mem to, const Lines& target,
                          const ByteBlock& block, bool contiguous, const Commands& on) {
    if (contiguous)
      return static_cast<clblasStatus>(::clEnqueueWriteBuffer(
          on.queue, to, on.blocking, target.first, block.length * block.lines,
          static_cast<const char*>(from) + source.first, on.wait_count, on.waits, on.event));
    const size_t region[] = {block.length, block.lines, 1};
    return static_cast<clblasStatus>(::clEnqueueWriteBufferRect(
        on.queue, to, on.blocking, target.origin().at, source.origin().at, region, target.pitch, 0,
        source.pitch, 0, from, on.wait_count, on.waits, on.event));
  }
};

struct Read {
  static clblasStatus run(cl_mem from, const Lines& source, void* to, const Lines& target,
                          const ByteBlock& block, bool contiguous, const Commands& on) {
    if (contiguous)
      return static_cast<clblasStatus>(::clEnqueueReadBuffer(
          on.queue, from, on.blocking, source.first, block.length * block.lines,
          static_cast<char*>(to) + target.first, on.wait_count, on.waits, on.event));
    const size_t region[] = {block.length, block.lines, 1};
    return static_cast<clblasStatus>(::clEnqueueReadBufferRect(
        on.queue, from, on.blocking, source.origin().at, target.origin().at, region, source.pitch,
        0, target.pitch, 0, to, on.wait_count, on.waits, on.event));
  }
};

struct Copy {
  static clblasStatus run(cl_mem from, const Lines& source, cl_mem to, const Lines& target,
                          const ByteBlock& block, bool contiguous, const Commands& on) {
    return on.finish([&](cl_event* event) {
      if (contiguous)
        return ::clEnqueueCopyBuffer(on.queue, from, to, source.first, target.first,
                                     block.length * block.lines, on.wait_count, on.waits, event);
      const size_t region[] = {block.length, block.lines, 1};
      return ::clEnqueueCopyBufferRect(on.queue, from, to, source.origin().at, target.origin().at,
                                       region, source.pitch, 0, target.pitch, 0, on.wait_count,
                                       on.waits, event);
    });
  }
};

template <class Direction, class From, class To>
clblasStatus transfer(clblasOrder order, size_t element, From from, const MatrixPart& source, To to,
                      const MatrixPart& target, const Extent& extent, const Commands& on) {
  ByteBlock block;
  Lines in_source, in_target;
  if (!block_of(order, element, extent, block)) return clblasInvalidValue;
  if (!on.has_queue()) return clblasInvalidCommandQueue;
  if (extent.is_empty()) return on.only_wait();
  // A null pointer of the host's is moved by an offset later, and would look like a good one.
  if constexpr (!std::is_same_v<From, cl_mem>)
    if (from == nullptr) return clblasInvalidValue;
  if constexpr (!std::is_same_v<To, cl_mem>)
    if (to == nullptr) return clblasInvalidValue;
  if (!lines_of(order, element, source, extent, in_source) ||
      !lines_of(order, element, target, extent, in_target))
    return clblasInvalidValue;
  const bool contiguous = block.is_contiguous(in_source) && block.is_contiguous(in_target);
  return Direction::run(from, in_source, to, in_target, block, contiguous, on);
}

}  // namespace
}  // namespace kiln::blas

using kiln::blas::Commands;
using kiln::blas::MatrixPart;

#define KILN_WAITS cl_command_queue queue, cl_uint wait_count, const cl_event *waits
#define KILN_SUB_MATRIX(Memory, A) \
  Memory A, size_t off##A, size_t ld##A, size_t nr##A, size_t nc##A, size_t x##A, size_t y##A
#define KILN_PUT_SUB_MATRIX(A) \
  A, MatrixPart { off##A, ld##A, nr##A, nc##A, x##A, y##A }

// The functions of a direction; each is there twice, waiting and not.
#define KILN_TRANSFERS(Direction, From, To)                                                       \
  KILN_TRANSFER(clblas##Direction, , From, To, Direction, , (Commands{queue, wait_count, waits})) \
  KILN_TRANSFER(clblas##Direction, Async, From, To, Direction, KILN_EVENT,                        \
                (Commands{queue, wait_count, waits, event, CL_FALSE}))
#define KILN_EVENT , cl_event* event
#define KILN_TRANSFER(name, suffix, From, To, Direction, event_parameter, commands)          \
  clblasStatus name##SubMatrix##suffix(clblasOrder order, size_t element,                    \
                                       KILN_SUB_MATRIX(From, A), KILN_SUB_MATRIX(To, B),     \
                                       size_t nx, size_t ny, KILN_WAITS event_parameter) {   \
    return kiln::blas::transfer<kiln::blas::Direction>(                                      \
        order, element, KILN_PUT_SUB_MATRIX(A), KILN_PUT_SUB_MATRIX(B), {nx, ny}, commands); \
  }                                                                                          \
  clblasStatus name##Matrix##suffix(clblasOrder order, size_t sx, size_t sy, size_t element, \
                                    From A, size_t offA, size_t ldA, To B, size_t offB,      \
                                    size_t ldB, KILN_WAITS event_parameter) {                \
    return kiln::blas::transfer<kiln::blas::Direction>(                                      \
        order, element, A, MatrixPart::whole(offA, ldA, sx, sy), B,                          \
        MatrixPart::whole(offB, ldB, sx, sy), {sx, sy}, commands);                           \
  }                                                                                          \
  clblasStatus name##Vector##suffix(size_t n, size_t element, From A, size_t offA, To B,     \
                                    size_t offB, KILN_WAITS event_parameter) {               \
    return kiln::blas::transfer<kiln::blas::Direction>(                                      \
        clblasColumnMajor, element, A, MatrixPart::vector(offA, n), B,                       \
        MatrixPart::vector(offB, n), {n, 1}, commands);                                      \
  }
KILN_TRANSFERS(Write, const void*, cl_mem)
KILN_TRANSFERS(Read, cl_mem, void*)
KILN_TRANSFERS(Copy, cl_mem, cl_mem)

// ---- Matrices and vectors set to one value

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
  cl_int status = ::clEnqueueFillBuffer(on.queue, memory, pattern, element, lines.first,
                                        block.length, on.wait_count, on.waits, &last);
  for (size_t done = 1; status == CL_SUCCESS && done < block.lines;) {
    const size_t more = std::min(done, block.lines - done);
    const size_t region[] = {block.length, more, 1};
    cl_event next = nullptr;
    status = ::clEnqueueCopyBufferRect(on.queue, memory, memory, lines.origin().at,
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
    return ::clEnqueueFillBuffer(on.queue, memory, pattern, element, lines.first,
                                 block.length * block.lines, on.wait_count, on.waits, event);
  });
}

}  // namespace
}  // namespace kiln::blas

using kiln::blas::fill;

#define KILN_FILL(suffix, event_parameter, commands)                                              \
  clblasStatus clblasFillVector##suffix(size_t n, size_t element, cl_mem A, size_t offA,          \
                                        const void* pattern, KILN_WAITS event_parameter) {        \
    return fill(clblasColumnMajor, element, A, MatrixPart::vector(offA, n), {n, 1}, pattern,      \
                commands);                                                                        \
  }                                                                                               \
  clblasStatus clblasFillMatrix##suffix(clblasOrder order, size_t element, cl_mem A, size_t offA, \
                                        size_t ldA, size_t nrA, size_t ncA, const void* pattern,  \
                                        KILN_WAITS event_parameter) {                             \
    return fill(order, element, A, MatrixPart::whole(offA, ldA, nrA, ncA), {nrA, ncA}, pattern,   \
                commands);                                                                        \
  }
KILN_FILL(, , (Commands{queue, wait_count, waits}))
KILN_FILL(Async, KILN_EVENT, (Commands{queue, wait_count, waits, event, CL_FALSE}))

clblasStatus clblasFillSubMatrix(clblasOrder order, size_t element, cl_mem A, size_t offA,
                                 size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA,
                                 size_t nx, size_t ny, const void* pattern, cl_command_queue queue,
                                 cl_uint wait_count, const cl_event* waits) {
  return fill(order, element, A, {offA, ldA, nrA, ncA, xA, yA}, {nx, ny}, pattern,
              Commands{queue, wait_count, waits});
}

clblasStatus clblasFillSubMatrixAsync(clblasOrder order, size_t element, cl_mem A, size_t offA,
                                      size_t ldA, size_t nrA, size_t ncA, int xA, int yA, size_t nx,
                                      size_t ny, const void* pattern, cl_command_queue queue,
                                      cl_uint wait_count, const cl_event* waits, cl_event* event) {
  if (xA < 0 || yA < 0) return clblasInvalidValue;
  const MatrixPart part{offA, ldA, nrA, ncA, static_cast<size_t>(xA), static_cast<size_t>(yA)};
  return fill(order, element, A, part, {nx, ny}, pattern,
              Commands{queue, wait_count, waits, event, CL_FALSE});
}
