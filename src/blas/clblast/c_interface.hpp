#pragma once

#include <complex>
#include <type_traits>

#include "blas/clblast/interface.hpp"

// How the functions of clblast_c.h are written: each hands its arguments on to the template of
// clblast.h. For the .cpp files in this folder only.
namespace kiln::clblast {

// ---- Arguments of C. Enumerators have the same numbers in both interfaces.
inline ::clblast::Layout from_c(CLBlastLayout value) {
  return static_cast<::clblast::Layout>(value);
}
inline ::clblast::Transpose from_c(CLBlastTranspose value) {
  return static_cast<::clblast::Transpose>(value);
}
inline ::clblast::Triangle from_c(CLBlastTriangle value) {
  return static_cast<::clblast::Triangle>(value);
}
inline ::clblast::Diagonal from_c(CLBlastDiagonal value) {
  return static_cast<::clblast::Diagonal>(value);
}
inline ::clblast::Side from_c(CLBlastSide value) { return static_cast<::clblast::Side>(value); }
inline ::clblast::KernelMode from_c(CLBlastKernelMode value) {
  return static_cast<::clblast::KernelMode>(value);
}
inline float from_c(float value) { return value; }
inline double from_c(double value) { return value; }
inline cl_half from_c(cl_half value) { return value; }
inline std::complex<float> from_c(const cl_float2& value) { return {value.s[0], value.s[1]}; }
inline std::complex<double> from_c(const cl_double2& value) { return {value.s[0], value.s[1]}; }

/// Scalars of a batch. std::complex is laid out as C's pairs are.
template <class T>
const auto* from_c(const T* values) {
  return reinterpret_cast<const decltype(from_c(T()))*>(values);
}

inline CLBlastStatusCode to_c(::clblast::StatusCode status) {
  return static_cast<CLBlastStatusCode>(status);
}

/// A number as C passes it.
template <class T>
struct NumberOfC {
  using Type = T;
};
template <>
struct NumberOfC<std::complex<float>> {
  using Type = cl_float2;
};
template <>
struct NumberOfC<std::complex<double>> {
  using Type = cl_double2;
};
template <class T>
using CNumber = typename NumberOfC<T>::Type;
/// The real type of a complex one.
template <class T>
using RealOf = typename T::value_type;

}  // namespace kiln::clblast

using kiln::clblast::CNumber;
using kiln::clblast::from_c;
using kiln::clblast::RealOf;
using kiln::clblast::to_c;

// The words in which families of functions are written, one macro a family.
#define KILN_MATRIX(a) cl_mem a##_buffer, size_t a##_offset, size_t a##_ld
#define KILN_VECTOR(x) cl_mem x##_buffer, size_t x##_offset, size_t x##_inc
#define KILN_BLOCK(z) cl_mem z##_buffer, size_t z##_offset
#define KILN_PUT_MATRIX(a) a##_buffer, a##_offset, a##_ld
#define KILN_PUT_VECTOR(x) x##_buffer, x##_offset, x##_inc
#define KILN_PUT_BLOCK(z) z##_buffer, z##_offset
#define KILN_QUEUE cl_command_queue *queue, cl_event *event
#define KILN_PUT_QUEUE queue, event
#define KILN_TRIANGLE \
  CLBlastLayout layout, CLBlastTriangle triangle, CLBlastTranspose trans, CLBlastDiagonal diagonal
#define KILN_PUT_TRIANGLE from_c(layout), from_c(triangle), from_c(trans), from_c(diagonal)

// The members of a family by precision, FAMILY(name in C, name in C++, element type, ...).
#define KILN_REAL(FAMILY, c, Cpp, ...)                       \
  FAMILY(CLBlastS##c, Cpp, float __VA_OPT__(, ) __VA_ARGS__) \
  FAMILY(CLBlastD##c, Cpp, double __VA_OPT__(, ) __VA_ARGS__)
#define KILN_COMPLEX(FAMILY, c, Cpp, ...)                                  \
  FAMILY(CLBlastC##c, Cpp, std::complex<float> __VA_OPT__(, ) __VA_ARGS__) \
  FAMILY(CLBlastZ##c, Cpp, std::complex<double> __VA_OPT__(, ) __VA_ARGS__)
#define KILN_HALF(FAMILY, c, Cpp, ...) FAMILY(CLBlastH##c, Cpp, cl_half __VA_OPT__(, ) __VA_ARGS__)
#define KILN_FULL(FAMILY, c, Cpp, ...)                 \
  KILN_REAL(FAMILY, c, Cpp __VA_OPT__(, ) __VA_ARGS__) \
  KILN_COMPLEX(FAMILY, c, Cpp __VA_OPT__(, ) __VA_ARGS__)
#define KILN_ALL(FAMILY, c, Cpp, ...)                  \
  KILN_FULL(FAMILY, c, Cpp __VA_OPT__(, ) __VA_ARGS__) \
  KILN_HALF(FAMILY, c, Cpp __VA_OPT__(, ) __VA_ARGS__)
#define KILN_REAL_AND_HALF(FAMILY, c, Cpp, ...)        \
  KILN_REAL(FAMILY, c, Cpp __VA_OPT__(, ) __VA_ARGS__) \
  KILN_HALF(FAMILY, c, Cpp __VA_OPT__(, ) __VA_ARGS__)
