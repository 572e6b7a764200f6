#include <algorithm>
#include <type_traits>
#include <utility>

#include "blas/api/entry.hpp"
#include "blas/clblas/interface.hpp"

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

// ---- Areas of matrices, and queues

namespace kiln::blas {
namespace {

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

/// The block of an area that is not empty, in elements of the given size; false where the sizes
/// are no OpenCL command's.
bool block_of(clblasOrder order, size_t element, const Extent& extent, ByteBlock& block) {
  const bool by_rows = order == clblasRowMajor;
  if (element == 0 || (!by_rows && order != clblasColumnMajor)) return false;
  block.length = 0;
  block.lines = by_rows ? extent.rows : extent.columns;
  return add_product(block.length, by_rows ? extent.columns : extent.rows, element);
}

/// The place of such a block in a matrix; false where it is not inside, or the matrix is not one.
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

// ---- Matrices and vectors between the host and buffers, and between buffers

/// A block on its way. The three directions have one command each for contiguous areas, which
/// drivers do faster, and one for all others.
struct Transfer {
  Lines source, target;
  size_t region[3];  ///< bytes of a line, lines, 1
  const Commands& on;

  bool is_contiguous() const {
    return region[1] == 1 || (source.pitch == region[0] && target.pitch == region[0]);
  }
  size_t bytes() const { return region[0] * region[1]; }

  cl_int write(const void* from, cl_mem to) const {
    if (is_contiguous())
      return ::clEnqueueWriteBuffer(on.queue, to, on.blocking, target.first, bytes(),
                                    static_cast<const char*>(from) + source.first, on.wait_count,
                                    on.waits, on.event);
    return ::clEnqueueWriteBufferRect(on.queue, to, on.blocking, target.origin().at,
                                      source.origin().at, region, target.pitch, 0, source.pitch, 0,
                                      from, on.wait_count, on.waits, on.event);
  }
  cl_int read(cl_mem from, void* to) const {
    if (is_contiguous())
      return ::clEnqueueReadBuffer(on.queue, from, on.blocking, source.first, bytes(),
                                   static_cast<char*>(to) + target.first, on.wait_count, on.waits,
                                   on.event);
    return ::clEnqueueReadBufferRect(on.queue, from, on.blocking, source.origin().at,
                                     target.origin().at, region, source.pitch, 0, target.pitch, 0,
                                     to, on.wait_count, on.waits, on.event);
  }
  cl_int copy(cl_mem from, cl_mem to) const {
    return on.finish([&](cl_event* event) {
      if (is_contiguous())
        return ::clEnqueueCopyBuffer(on.queue, from, to, source.first, target.first, bytes(),
                                     on.wait_count, on.waits, event);
      return ::clEnqueueCopyBufferRect(on.queue, from, to, source.origin().at, target.origin().at,
                                       region, source.pitch, 0, target.pitch, 0, on.wait_count,
                                       on.waits, event);
    });
  }
};

template <class From, class To>
clblasStatus transfer(clblasOrder order, size_t element, From from, const MatrixPart& source, To to,
                      const MatrixPart& target, const Extent& extent, const Commands& on) {
  constexpr bool reads = !std::is_same_v<To, cl_mem>, writes = !std::is_same_v<From, cl_mem>;
  ByteBlock block;
  if (!block_of(order, element, extent, block)) return clblasInvalidValue;
  if (!on.has_queue()) return clblasInvalidCommandQueue;
  if (extent.is_empty()) return on.only_wait();
  // A null pointer of the host's is moved by an offset later, and would look like a good one.
  if ((writes && from == nullptr) || (reads && to == nullptr)) return clblasInvalidValue;
  Transfer moved{{}, {}, {block.length, block.lines, 1}, on};
  if (!lines_of(order, element, source, extent, moved.source) ||
      !lines_of(order, element, target, extent, moved.target))
    return clblasInvalidValue;
  cl_int status = CL_SUCCESS;
  if constexpr (writes)
    status = moved.write(from, to);
  else if constexpr (reads)
    status = moved.read(from, to);
  else
    status = moved.copy(from, to);
  return static_cast<clblasStatus>(status);
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
#define KILN_TRANSFERS(Direction, From, To)                                            \
  KILN_TRANSFER(clblas##Direction, , From, To, , (Commands{queue, wait_count, waits})) \
  KILN_TRANSFER(clblas##Direction, Async, From, To, KILN_EVENT,                        \
                (Commands{queue, wait_count, waits, event, CL_FALSE}))
#define KILN_EVENT , cl_event* event
#define KILN_TRANSFER(name, suffix, From, To, event_parameter, commands)                        \
  clblasStatus name##SubMatrix##suffix(clblasOrder order, size_t element,                       \
                                       KILN_SUB_MATRIX(From, A), KILN_SUB_MATRIX(To, B),        \
                                       size_t nx, size_t ny, KILN_WAITS event_parameter) {      \
    return kiln::blas::transfer(order, element, KILN_PUT_SUB_MATRIX(A), KILN_PUT_SUB_MATRIX(B), \
                                {nx, ny}, commands);                                            \
  }                                                                                             \
  clblasStatus name##Matrix##suffix(clblasOrder order, size_t sx, size_t sy, size_t element,    \
                                    From A, size_t offA, size_t ldA, To B, size_t offB,         \
                                    size_t ldB, KILN_WAITS event_parameter) {                   \
    return kiln::blas::transfer(order, element, A, MatrixPart::whole(offA, ldA, sx, sy), B,     \
                                MatrixPart::whole(offB, ldB, sx, sy), {sx, sy}, commands);      \
  }                                                                                             \
  clblasStatus name##Vector##suffix(size_t n, size_t element, From A, size_t offA, To B,        \
                                    size_t offB, KILN_WAITS event_parameter) {                  \
    return kiln::blas::transfer(clblasColumnMajor, element, A, MatrixPart::vector(offA, n), B,  \
                                MatrixPart::vector(offB, n), {n, 1}, commands);                 \
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
