#pragma once

#include <clblast_half.h>

#include <complex>
#include <cstdint>
#include <type_traits>

#include "blas/api/entry.hpp"
#include "blas/clblast/checks.hpp"
#include "kiln/blas/level1.hpp"
#include "kiln/blas/level2.hpp"
#include "kiln/blas/level3.hpp"

// How the routines of CLBlast's interface are written: each checks its arguments (Checks),
// describes its call by the function of kiln/blas.hpp that has its name, and makes it. For the .cpp
// files in this folder only.
namespace kiln::clblast {

using blas::Call;
using blas::Slot;
using ::clblast::Diagonal;
using ::clblast::KernelMode;
using ::clblast::Layout;
using ::clblast::Side;
using ::clblast::Transpose;
using ::clblast::Triangle;
using half = cl_half;

// ---- Element types
/// What Kiln computes with for elements of T: halves are stored as such, and computed in float.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, half>, float, T>;
template <class T>
constexpr blas::Storage stored_as =
    std::is_same_v<T, half> ? blas::Storage::half : blas::Storage::native;
/// The complex type that goes with a real one.
template <class T>
using ComplexOf = std::complex<T>;
template <class T>
constexpr bool is_complex = !std::is_same_v<T, half> && !std::is_floating_point_v<T>;

template <class T>
Computed<T> number(T value) {
  if constexpr (std::is_same_v<T, half>)
    return HalfToFloat(value);
  else
    return value;
}

// ---- Options
inline blas::Order from(Layout layout) {
  return layout == Layout::kRowMajor ? blas::Order::row_major : blas::Order::column_major;
}
inline blas::Transpose from(Transpose trans) {
  return static_cast<blas::Transpose>(static_cast<int>(trans) - static_cast<int>(Transpose::kNo));
}
inline blas::Uplo from(Triangle triangle) {
  return triangle == Triangle::kUpper ? blas::Uplo::upper : blas::Uplo::lower;
}
inline blas::Diag from(Diagonal diagonal) {
  return diagonal == Diagonal::kUnit ? blas::Diag::unit : blas::Diag::non_unit;
}
inline blas::Side from(Side side) {
  return side == Side::kLeft ? blas::Side::left : blas::Side::right;
}

// ---- Operands of elements T
template <class T>
blas::Matrix operand(const MatrixArgument& matrix) {
  return {matrix.memory, matrix.offset, matrix.ld, stored_as<T>};
}
template <class T>
blas::Block operand(const BlockArgument& block) {
  return {block.memory, block.offset, stored_as<T>};
}
/// A vector of n elements. Where BLAS goes from the far end, CLBlast's offset is that end.
template <class T>
blas::Vector operand(const VectorArgument& vector, std::size_t n) {
  const std::ptrdiff_t step = vector.step();
  const std::size_t last = step < 0 ? (n - 1) * (std::size_t{0} - vector.inc) : 0;
  return {vector.memory, vector.offset - last, step, stored_as<T>};
}
/// The same for routines of one vector whose result does not depend on the direction: BLAS lets
/// them do nothing where the increment is below zero.
template <class T>
blas::Vector forward(const VectorArgument& vector, std::size_t n) {
  blas::Vector made = operand<T>(vector, n);
  if (made.stride < 0) made.stride = -made.stride;
  return made;
}
/// A real result among elements of T: the real part of one.
template <class T>
blas::Block real_result(const BlockArgument& block) {
  return {block.memory, block.offset * (is_complex<T> ? 2 : 1), stored_as<T>};
}

/// Lines of a band's array: the diagonal, and those below and above it.
inline std::size_t band_lines(std::size_t below, std::size_t above) {
  std::size_t lines = 0;
  return __builtin_add_overflow(below, above, &lines) ||
                 __builtin_add_overflow(lines, std::size_t{1}, &lines)
             ? static_cast<std::size_t>(-1)
             : lines;
}

// ---- Calls
/// Kiln's statuses are clBLAS's, whose numbers CLBlast has taken over; but one.
inline StatusCode status_of(int status) {
  return status == CL_INVALID_DEVICE ? StatusCode::kNoDoublePrecision
                                     : static_cast<StatusCode>(status);
}

/// Makes a call.
inline StatusCode made(const Call& call, const cl_command_queue* queue, cl_event* event) {
  return status_of(kiln_blas_run(call, {{queue, 1}, {}, event}));
}

/// Makes the call that `describe` returns, where the arguments are good.
template <class Describe>
StatusCode made_if(const Checks& checks, const cl_command_queue* queue, cl_event* event,
                   const Describe& describe) {
  return checks.failed() ? checks.status() : made(describe(), queue, event);
}

/// An event that is complete when all that is on the queue is done; none where none is asked for.
StatusCode mark(const cl_command_queue* queue, cl_event* event);

/// Makes `count` calls, which `describe` returns by number, with one event for all.
template <class Describe>
StatusCode made_in_turn(std::size_t count, const cl_command_queue* queue, cl_event* event,
                        const Describe& describe) {
  for (std::size_t item = 0; item < count; ++item)
    if (const StatusCode status = made(describe(item), queue, nullptr);
        status != StatusCode::kSuccess)
      return status;
  return mark(queue, event);
}

}  // namespace kiln::clblast

// The words of the parameters. An operand's are declared by one word and handed on by another.
#define KILN_MATRIX(a) cl_mem a##_buffer, size_t a##_offset, size_t a##_ld
#define KILN_VECTOR(x) cl_mem x##_buffer, size_t x##_offset, size_t x##_inc
#define KILN_BLOCK(z) cl_mem z##_buffer, size_t z##_offset
#define KILN_QUEUE cl_command_queue *queue, cl_event *event

#define KILN_THE_MATRIX(a) \
  MatrixArgument { a##_buffer, a##_offset, a##_ld }
#define KILN_THE_VECTOR(x) \
  VectorArgument { x##_buffer, x##_offset, x##_inc }
#define KILN_THE_BLOCK(z) \
  BlockArgument { z##_buffer, z##_offset }

// What the library exports: the instances of a template, by precision. A function's own type is
// that of its explicit instance.
#define KILN_INSTANCE(Name, ...) \
  template __attribute__((visibility("default"))) decltype(Name<__VA_ARGS__>) Name<__VA_ARGS__>;
#define KILN_REAL(Name)      \
  KILN_INSTANCE(Name, float) \
  KILN_INSTANCE(Name, double)
#define KILN_COMPLEX(Name)                 \
  KILN_INSTANCE(Name, std::complex<float>) \
  KILN_INSTANCE(Name, std::complex<double>)
#define KILN_HALF(Name) KILN_INSTANCE(Name, cl_half)
#define KILN_FULL(Name) KILN_REAL(Name) KILN_COMPLEX(Name)
#define KILN_ALL(Name) KILN_FULL(Name) KILN_HALF(Name)
