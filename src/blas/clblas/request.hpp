#pragma once

#include "blas/call.hpp"
#include "blas/clblas/interface.hpp"

namespace kiln::blas {

/// Translates the arguments of one C call, in any order, and makes it. Enumerators that do not
/// exist, which C lets through, end in clblasInvalidValue.
class Request {
 public:
  Request(Routine routine, Precision precision) {
    call_.routine = routine;
    call_.precision = precision;
  }
  Request& order(clblasOrder order) {
    call_.order = translated<Order>(order, clblasColumnMajor);
    return *this;
  }
  Request& side(clblasSide side) {
    call_.side = translated<Side>(side, clblasRight);
    return *this;
  }
  Request& uplo(clblasUplo uplo) {
    call_.uplo = translated<Uplo>(uplo, clblasLower);
    return *this;
  }
  Request& diag(clblasDiag diag) {
    call_.diag = translated<Diag>(diag, clblasNonUnit);
    return *this;
  }
  Request& trans(clblasTranspose a, clblasTranspose b = clblasNoTrans) {
    call_.trans_a = translated<Transpose>(a, clblasConjTrans);
    call_.trans_b = translated<Transpose>(b, clblasConjTrans);
    return *this;
  }
  Request& m(size_t m) { return call_.m = m, *this; }
  Request& n(size_t n) { return call_.n = n, *this; }
  Request& k(size_t k) { return call_.k = k, *this; }
  Request& band(size_t below, size_t above) { return call_.kl = below, call_.ku = above, *this; }

  /// A real alpha for complex elements stays real in the routines that BLAS has it for.
  template <class T>
  Request& alpha(const T& alpha) {
    call_.alpha = scalar(alpha);
    call_.real_alpha =
        call_.routine == Routine::scal && is_complex(call_.precision) && !is_complex_number<T>;
    return *this;
  }
  template <class T>
  Request& beta(const T& beta) {
    return call_.beta = scalar(beta), *this;
  }

  /// Matrices by leading dimension, vectors by increment, anything else without either.
  Request& matrix(Slot slot, cl_mem memory, size_t offset, size_t ld) {
    return operand(slot, memory, offset, static_cast<std::int64_t>(ld));
  }
  Request& vector(Slot slot, cl_mem memory, size_t offset, int inc) {
    return operand(slot, memory, offset, inc);
  }
  Request& block(Slot slot, cl_mem memory, size_t offset) {
    return operand(slot, memory, offset, 0);
  }

  /// Makes the call with the five arguments that every routine ends with.
  clblasStatus run(cl_uint queue_count, const cl_command_queue* queues, cl_uint wait_count,
                   const cl_event* waits, cl_event* events) const;

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
  Request& operand(Slot slot, cl_mem memory, size_t offset, std::int64_t stride) {
    return call_[slot] = {memory, offset, stride}, *this;
  }

  Call call_;
  bool is_sound_ = true;
};

}  // namespace kiln::blas
