// Matrices and vectors between the host and buffers, and between buffers.

#include <type_traits>

#include "blas/clblas/commands.hpp"
#include "blas/clblas/matrix_part.hpp"

namespace kiln::blas {
namespace {

/// The three directions, each with one command for contiguous areas, which drivers do faster, and
/// one for all others.
struct Write {
  static clblasStatus run(const void* from, const Lines& source, cl_mem to, const Lines& target,
                          const ByteBlock& block, bool contiguous, const Commands& on) {
    if (contiguous)
      return static_cast<clblasStatus>(::clEnqueueWriteBuffer(
          on.queue(), to, on.blocking(), target.first, block.length * block.lines,
          static_cast<const char*>(from) + source.first, on.wait_count(), on.waits(), on.event()));
    const size_t region[] = {block.length, block.lines, 1};
    return static_cast<clblasStatus>(::clEnqueueWriteBufferRect(
        on.queue(), to, on.blocking(), target.origin().at, source.origin().at, region, target.pitch,
        0, source.pitch, 0, from, on.wait_count(), on.waits(), on.event()));
  }
};

struct Read {
  static clblasStatus run(cl_mem from, const Lines& source, void* to, const Lines& target,
                          const ByteBlock& block, bool contiguous, const Commands& on) {
    if (contiguous)
      return static_cast<clblasStatus>(::clEnqueueReadBuffer(
          on.queue(), from, on.blocking(), source.first, block.length * block.lines,
          static_cast<char*>(to) + target.first, on.wait_count(), on.waits(), on.event()));
    const size_t region[] = {block.length, block.lines, 1};
    return static_cast<clblasStatus>(::clEnqueueReadBufferRect(
        on.queue(), from, on.blocking(), source.origin().at, target.origin().at, region,
        source.pitch, 0, target.pitch, 0, to, on.wait_count(), on.waits(), on.event()));
  }
};

struct Copy {
  static clblasStatus run(cl_mem from, const Lines& source, cl_mem to, const Lines& target,
                          const ByteBlock& block, bool contiguous, const Commands& on) {
    return on.finish([&](cl_event* event) {
      if (contiguous)
        return ::clEnqueueCopyBuffer(on.queue(), from, to, source.first, target.first,
                                     block.length * block.lines, on.wait_count(), on.waits(),
                                     event);
      const size_t region[] = {block.length, block.lines, 1};
      return ::clEnqueueCopyBufferRect(on.queue(), from, to, source.origin().at, target.origin().at,
                                       region, source.pitch, 0, target.pitch, 0, on.wait_count(),
                                       on.waits(), event);
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
#define KILN_TRANSFERS(Direction, From, To)                                                     \
  KILN_TRANSFER(clblas##Direction, , From, To, Direction, , Commands(queue, wait_count, waits)) \
  KILN_TRANSFER(clblas##Direction, Async, From, To, Direction, KILN_EVENT,                      \
                Commands(queue, wait_count, waits, event))
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
