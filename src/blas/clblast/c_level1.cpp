#include "blas/clblast/c_interface.hpp"

// clblast_c.h's routines of level 1.

#define KILN_ROTG(name, Cpp, T)                                                                    \
  CLBlastStatusCode name(KILN_BLOCK(a), KILN_BLOCK(b), KILN_BLOCK(c), KILN_BLOCK(s), KILN_QUEUE) { \
    return to_c(clblast::Cpp<T>(KILN_PUT_BLOCK(a), KILN_PUT_BLOCK(b), KILN_PUT_BLOCK(c),           \
                                KILN_PUT_BLOCK(s), KILN_PUT_QUEUE));                               \
  }
KILN_REAL(KILN_ROTG, rotg, Rotg)

#define KILN_ROTMG(name, Cpp, T)                                                             \
  CLBlastStatusCode name(KILN_BLOCK(d1), KILN_BLOCK(d2), KILN_BLOCK(x1), KILN_BLOCK(y1),     \
                         KILN_BLOCK(param), KILN_QUEUE) {                                    \
    return to_c(clblast::Cpp<T>(KILN_PUT_BLOCK(d1), KILN_PUT_BLOCK(d2), KILN_PUT_BLOCK(x1),  \
                                KILN_PUT_BLOCK(y1), KILN_PUT_BLOCK(param), KILN_PUT_QUEUE)); \
  }
KILN_REAL(KILN_ROTMG, rotmg, Rotmg)

#define KILN_ROT(name, Cpp, T)                                                                 \
  CLBlastStatusCode name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), T cos, T sin, KILN_QUEUE) { \
    return to_c(                                                                               \
        clblast::Cpp<T>(n, KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y), cos, sin, KILN_PUT_QUEUE)); \
  }
KILN_REAL(KILN_ROT, rot, Rot)

#define KILN_ROTM(name, Cpp, T)                                                                   \
  CLBlastStatusCode name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_BLOCK(param),             \
                         KILN_QUEUE) {                                                            \
    return to_c(clblast::Cpp<T>(n, KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y), KILN_PUT_BLOCK(param), \
                                KILN_PUT_QUEUE));                                                 \
  }
KILN_REAL(KILN_ROTM, rotm, Rotm)

#define KILN_TWO_VECTORS(name, Cpp, T)                                                       \
  CLBlastStatusCode name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUE) {             \
    return to_c(clblast::Cpp<T>(n, KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y), KILN_PUT_QUEUE)); \
  }
KILN_ALL(KILN_TWO_VECTORS, swap, Swap)
KILN_ALL(KILN_TWO_VECTORS, copy, Copy)

#define KILN_SCAL(name, Cpp, T)                                                         \
  CLBlastStatusCode name(size_t n, CNumber<T> alpha, KILN_VECTOR(x), KILN_QUEUE) {      \
    return to_c(clblast::Cpp<T>(n, from_c(alpha), KILN_PUT_VECTOR(x), KILN_PUT_QUEUE)); \
  }
KILN_ALL(KILN_SCAL, scal, Scal)

#define KILN_AXPY(name, Cpp, T)                                                                    \
  CLBlastStatusCode name(size_t n, CNumber<T> alpha, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUE) { \
    return to_c(clblast::Cpp<T>(n, from_c(alpha), KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y),          \
                                KILN_PUT_QUEUE));                                                  \
  }
KILN_ALL(KILN_AXPY, axpy, Axpy)

#define KILN_DOT(name, Cpp, T)                                                                  \
  CLBlastStatusCode name(size_t n, KILN_BLOCK(z), KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUE) { \
    return to_c(clblast::Cpp<T>(n, KILN_PUT_BLOCK(z), KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y),   \
                                KILN_PUT_QUEUE));                                               \
  }
KILN_REAL_AND_HALF(KILN_DOT, dot, Dot)
KILN_COMPLEX(KILN_DOT, dotu, Dotu)
KILN_COMPLEX(KILN_DOT, dotc, Dotc)

#define KILN_REDUCTION(name, Cpp, T)                                                        \
  CLBlastStatusCode name(size_t n, KILN_BLOCK(z), KILN_VECTOR(x), KILN_QUEUE) {             \
    return to_c(clblast::Cpp<T>(n, KILN_PUT_BLOCK(z), KILN_PUT_VECTOR(x), KILN_PUT_QUEUE)); \
  }
#define KILN_NORM(c, Cpp)                                \
  KILN_REAL_AND_HALF(KILN_REDUCTION, c, Cpp)             \
  KILN_REDUCTION(CLBlastSc##c, Cpp, std::complex<float>) \
  KILN_REDUCTION(CLBlastDz##c, Cpp, std::complex<double>)
KILN_NORM(nrm2, Nrm2)
KILN_NORM(asum, Asum)
KILN_NORM(sum, Sum)

#define KILN_PLACE(c, Cpp)                                \
  KILN_REDUCTION(CLBlastiS##c, Cpp, float)                \
  KILN_REDUCTION(CLBlastiD##c, Cpp, double)               \
  KILN_REDUCTION(CLBlastiC##c, Cpp, std::complex<float>)  \
  KILN_REDUCTION(CLBlastiZ##c, Cpp, std::complex<double>) \
  KILN_REDUCTION(CLBlastiH##c, Cpp, cl_half)
KILN_PLACE(amax, Amax)
KILN_PLACE(amin, Amin)
KILN_PLACE(max, Max)
KILN_PLACE(min, Min)
