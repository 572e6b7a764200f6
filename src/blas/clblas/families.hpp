#pragma once

#include "blas/api/entry.hpp"
#include "blas/call/call.hpp"
#include "blas/clblas/interface.hpp"

// How the routines of clBLAS's interface are written: a class that translates their arguments
// into a blas::Call, and macros for their parameters. For the .cpp files in this folder only.
namespace kiln::blas {

/// Translates the arguments of one C call, in any order, and makes it. Enumerators that do not
/// exist, which C lets through, end in clblasInvalidValue.
class RoutineCall {
 public:
  RoutineCall(Routine routine, Precision precision) {
    call_.routine = routine;
    call_.precision = precision;
  }
  RoutineCall& order(clblasOrder order) {
    call_.order = translated<Order>(order, clblasColumnMajor);
    return *this;
  }
  RoutineCall& side(clblasSide side) {
    call_.side = translated<Side>(side, clblasRight);
    return *this;
  }
  RoutineCall& uplo(clblasUplo uplo) {
    call_.uplo = translated<Uplo>(uplo, clblasLower);
    return *this;
  }
  RoutineCall& diag(clblasDiag diag) {
    call_.diag = translated<Diag>(diag, clblasNonUnit);
    return *this;
  }
  RoutineCall& trans(clblasTranspose a, clblasTranspose b = clblasNoTrans) {
    call_.trans_a = translated<Transpose>(a, clblasConjTrans);
    call_.trans_b = translated<Transpose>(b, clblasConjTrans);
    return *this;
  }
  RoutineCall& m(size_t m) { return call_.m = m, *this; }
  RoutineCall& n(size_t n) { return call_.n = n, *this; }
  RoutineCall& k(size_t k) { return call_.k = k, *this; }
  RoutineCall& band(size_t below, size_t above) {
    return call_.kl = below, call_.ku = above, *this;
  }

  /// A real alpha for complex elements stays real in the routines that BLAS has it for.
  template <class T>
  RoutineCall& alpha(const T& alpha) {
    call_.alpha = scalar(alpha);
    call_.real_alpha =
        call_.routine == Routine::scal && is_complex(call_.precision) && !is_complex_number<T>;
    return *this;
  }
  template <class T>
  RoutineCall& beta(const T& beta) {
    return call_.beta = scalar(beta), *this;
  }

  /// Matrices by leading dimension, vectors by increment, anything else without either.
  RoutineCall& matrix(Slot slot, cl_mem memory, size_t offset, size_t ld) {
    return operand(slot, memory, offset, static_cast<std::int64_t>(ld));
  }
  RoutineCall& vector(Slot slot, cl_mem memory, size_t offset, int inc) {
    return operand(slot, memory, offset, inc);
  }
  RoutineCall& block(Slot slot, cl_mem memory, size_t offset) {
    return operand(slot, memory, offset, 0);
  }

  /// Makes the call with the five arguments that every routine ends with.
  clblasStatus run(cl_uint queue_count, const cl_command_queue* queues, cl_uint wait_count,
                   const cl_event* waits, cl_event* events) const {
    if (!is_sound_) return clblasInvalidValue;
    Execution execution;
    execution.queues = {queues, queue_count};
    execution.after = {waits, wait_count};
    execution.events = events;
    return static_cast<clblasStatus>(kiln_blas_run(call_, execution));
  }

 private:
  template <class T>
  static constexpr bool is_complex_number =
      std::is_same_v<T, FloatComplex> || std::is_same_v<T, DoubleComplex>;
  template <class T>
  static Scalar scalar(const T& value) {
    if constexpr (is_complex_number<T>)
      return {value.s[0], value.s[1]};
    else
      return {value, 0};
  }
  template <class To, class From>
  To translated(From value, From last) {
    // As C sees it, an int: whether the enumeration is signed is the compiler's choice.
    const auto number = static_cast<unsigned>(value);
    if (number <= static_cast<unsigned>(last)) return static_cast<To>(number);
    is_sound_ = false;
    return {};
  }
  RoutineCall& operand(Slot slot, cl_mem memory, size_t offset, std::int64_t stride) {
    return call_[slot] = {memory, offset, stride}, *this;
  }

  Call call_;
  bool is_sound_ = true;
};

}  // namespace kiln::blas

// The words in which the families of routines are written, one macro a family and one line a
// routine: C has no other way to give the members of a family their names. An operand's three
// parameters are declared by one word and handed on by another.

#define KILN_MATRIX(a) cl_mem a, size_t off_##a, size_t ld_##a
#define KILN_VECTOR(x) cl_mem x, size_t off_##x, int inc_##x
#define KILN_BLOCK(z) cl_mem z, size_t off_##z

#define KILN_PUT_MATRIX(a) matrix(Slot::a, a, off_##a, ld_##a)
#define KILN_PUT_VECTOR(x) vector(Slot::x, x, off_##x, inc_##x)
#define KILN_PUT_BLOCK(z) block(Slot::z, z, off_##z)

#define KILN_TRIANGLE clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag
#define KILN_PUT_TRIANGLE order(order).uplo(uplo).trans(trans).diag(diag)

#define KILN_QUEUES                                                                         \
  cl_uint queue_count, cl_command_queue *queues, cl_uint wait_count, const cl_event *waits, \
      cl_event *events
#define KILN_RUN run(queue_count, queues, wait_count, waits, events)

using kiln::blas::Precision;
using kiln::blas::Routine;
using kiln::blas::RoutineCall;
using kiln::blas::Slot;
