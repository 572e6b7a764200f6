#pragma once

#include <algorithm>
#include <complex>
#include <concepts>
#include <type_traits>

#include "blas/api/entry.hpp"
#include "blas/clblas/interface.hpp"
#include "kiln/blas/level1.hpp"
#include "kiln/blas/level2.hpp"
#include "kiln/blas/level3.hpp"

// How the routines of clBLAS's interface are written: each describes its call by the function of
// kiln/blas.hpp that has its name, and makes it. For the .cpp files in this folder only.
namespace kiln::blas {

// ---- Arguments of C
/// Enumerators have the same numbers in both interfaces. C lets others through: they must not come
/// out as one that exists (is_sound).
template <class To, class From>
To enumerator(From value) {
  return static_cast<To>(std::min(static_cast<unsigned>(value), 255u));
}
inline Order from_c(clblasOrder order) { return enumerator<Order>(order); }
inline Side from_c(clblasSide side) { return enumerator<Side>(side); }
inline Uplo from_c(clblasUplo uplo) { return enumerator<Uplo>(uplo); }
inline Diag from_c(clblasDiag diag) { return enumerator<Diag>(diag); }
inline Transpose from_c(clblasTranspose trans) { return enumerator<Transpose>(trans); }

inline float from_c(cl_float value) { return value; }
inline double from_c(cl_double value) { return value; }
inline std::complex<float> from_c(const FloatComplex& value) { return {value.s[0], value.s[1]}; }
inline std::complex<double> from_c(const DoubleComplex& value) { return {value.s[0], value.s[1]}; }

/// A number as C passes it.
template <Element T>
using CScalar = std::conditional_t<
    RealElement<T>, T,
    std::conditional_t<std::same_as<RealOf<T>, float>, FloatComplex, DoubleComplex>>;

// ---- Calls
inline bool is_sound(const Call& call) {
  return call.order <= Order::column_major && call.side <= Side::right &&
         call.uplo <= Uplo::lower && call.diag <= Diag::non_unit &&
         call.trans_a <= Transpose::conjugate && call.trans_b <= Transpose::conjugate;
}

/// Makes a call with the five arguments that every routine ends with.
inline clblasStatus made(const Call& call, cl_uint queue_count, const cl_command_queue* queues,
                         cl_uint wait_count, const cl_event* waits, cl_event* events) {
  if (!is_sound(call)) return clblasInvalidValue;
  const Execution execution{{queues, queue_count}, {waits, wait_count}, events};
  return static_cast<clblasStatus>(kiln_blas_run(call, execution));
}

}  // namespace kiln::blas

// The words in which the families of routines are written, one macro a family: C has no other way
// to give the members of a family their names. An operand's parameters are declared by one word and
// handed on by another.

#define KILN_MATRIX(a) cl_mem a, size_t off_##a, size_t ld_##a
#define KILN_VECTOR(x) cl_mem x, size_t off_##x, int inc_##x
#define KILN_BLOCK(z) cl_mem z, size_t off_##z

#define KILN_PUT_MATRIX(a) \
  { a, off_##a, ld_##a }
#define KILN_PUT_VECTOR(x) \
  { x, off_##x, inc_##x }
#define KILN_PUT_BLOCK(z) \
  { z, off_##z }

#define KILN_TRIANGLE clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag
#define KILN_PUT_TRIANGLE from_c(order), from_c(uplo), from_c(trans), from_c(diag)

#define KILN_QUEUES                                                                         \
  cl_uint queue_count, cl_command_queue *queues, cl_uint wait_count, const cl_event *waits, \
      cl_event *events
#define KILN_SCRATCH_QUEUES cl_mem /*scratch*/, KILN_QUEUES
#define KILN_PUT_QUEUES queue_count, queues, wait_count, waits, events

// The members of a family by precision, FAMILY(name in C, name in C++, element type, ...).
#define KILN_REAL(FAMILY, routine, ...)                               \
  FAMILY(clblasS##routine, routine, float __VA_OPT__(, ) __VA_ARGS__) \
  FAMILY(clblasD##routine, routine, double __VA_OPT__(, ) __VA_ARGS__)
#define KILN_COMPLEX(FAMILY, routine, ...)                                          \
  FAMILY(clblasC##routine, routine, std::complex<float> __VA_OPT__(, ) __VA_ARGS__) \
  FAMILY(clblasZ##routine, routine, std::complex<double> __VA_OPT__(, ) __VA_ARGS__)
#define KILN_ALL(FAMILY, routine, ...)                  \
  KILN_REAL(FAMILY, routine __VA_OPT__(, ) __VA_ARGS__) \
  KILN_COMPLEX(FAMILY, routine __VA_OPT__(, ) __VA_ARGS__)

using kiln::blas::CScalar;
using kiln::blas::from_c;
using kiln::blas::made;
using kiln::blas::RealOf;
