#include "blas/clblas/families.hpp"

// clBLAS's routines of level 1.
// ---- Vectors to vectors

#define KILN_TWO_VECTORS(name, routine, T)                                         \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUES) {       \
    return made(kiln::blas::routine<T>(n, KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y)), \
                KILN_PUT_QUEUES);                                                  \
  }
KILN_ALL(KILN_TWO_VECTORS, swap)
KILN_ALL(KILN_TWO_VECTORS, copy)

#define KILN_SCAL(name, routine, T, AlphaOf)                                                    \
  clblasStatus name(size_t n, AlphaOf<T> alpha, KILN_VECTOR(x), KILN_QUEUES) {                  \
    return made(kiln::blas::routine<T>(n, from_c(alpha), KILN_PUT_VECTOR(x)), KILN_PUT_QUEUES); \
  }
KILN_ALL(KILN_SCAL, scal, CScalar)
KILN_SCAL(clblasCsscal, scal, std::complex<float>, RealOf)
KILN_SCAL(clblasZdscal, scal, std::complex<double>, RealOf)

#define KILN_AXPY(name, routine, T)                                                               \
  clblasStatus name(size_t n, CScalar<T> alpha, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUES) {    \
    return made(kiln::blas::routine<T>(n, from_c(alpha), KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y)), \
                KILN_PUT_QUEUES);                                                                 \
  }
KILN_ALL(KILN_AXPY, axpy)

// ---- Vectors to one number, in memory. The scratch buffers are not needed.

#define KILN_DOT(name, routine, T)                                                            \
  clblasStatus name(size_t n, KILN_BLOCK(z), KILN_VECTOR(x), KILN_VECTOR(y),                  \
                    KILN_SCRATCH_QUEUES) {                                                    \
    return made(                                                                              \
        kiln::blas::routine<T>(n, KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y), KILN_PUT_BLOCK(z)), \
        KILN_PUT_QUEUES);                                                                     \
  }
KILN_REAL(KILN_DOT, dot)
KILN_COMPLEX(KILN_DOT, dotc)
KILN_DOT(clblasCdotu, dot, std::complex<float>)
KILN_DOT(clblasZdotu, dot, std::complex<double>)

// The element type is the vector's, also where the result is of a real type or an index.
#define KILN_REDUCTION(name, routine, T)                                            \
  clblasStatus name(size_t n, KILN_BLOCK(z), KILN_VECTOR(x), KILN_SCRATCH_QUEUES) { \
    return made(kiln::blas::routine<T>(n, KILN_PUT_VECTOR(x), KILN_PUT_BLOCK(z)),   \
                KILN_PUT_QUEUES);                                                   \
  }
KILN_REAL(KILN_REDUCTION, nrm2)
KILN_REDUCTION(clblasScnrm2, nrm2, std::complex<float>)
KILN_REDUCTION(clblasDznrm2, nrm2, std::complex<double>)
KILN_REAL(KILN_REDUCTION, asum)
KILN_REDUCTION(clblasScasum, asum, std::complex<float>)
KILN_REDUCTION(clblasDzasum, asum, std::complex<double>)
KILN_REDUCTION(clblasiSamax, iamax, float)
KILN_REDUCTION(clblasiDamax, iamax, double)
KILN_REDUCTION(clblasiCamax, iamax, std::complex<float>)
KILN_REDUCTION(clblasiZamax, iamax, std::complex<double>)

// ---- Plane rotations

#define KILN_ROTG(name, routine, T)                                                             \
  clblasStatus name(KILN_BLOCK(a), KILN_BLOCK(b), KILN_BLOCK(c), KILN_BLOCK(s), KILN_QUEUES) {  \
    return made(kiln::blas::routine<T>(KILN_PUT_BLOCK(a), KILN_PUT_BLOCK(b), KILN_PUT_BLOCK(c), \
                                       KILN_PUT_BLOCK(s)),                                      \
                KILN_PUT_QUEUES);                                                               \
  }
KILN_ALL(KILN_ROTG, rotg)

#define KILN_ROTMG(name, routine, T)                                                               \
  clblasStatus name(KILN_BLOCK(d1), KILN_BLOCK(d2), KILN_BLOCK(x1), KILN_BLOCK(y1),                \
                    KILN_BLOCK(param), KILN_QUEUES) {                                              \
    return made(kiln::blas::routine<T>(KILN_PUT_BLOCK(d1), KILN_PUT_BLOCK(d2), KILN_PUT_BLOCK(x1), \
                                       KILN_PUT_BLOCK(y1), KILN_PUT_BLOCK(param)),                 \
                KILN_PUT_QUEUES);                                                                  \
  }
KILN_REAL(KILN_ROTMG, rotmg)

#define KILN_ROT(name, routine, T)                                                       \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), RealOf<T> c, RealOf<T> s,  \
                    KILN_QUEUES) {                                                       \
    return made(kiln::blas::routine<T>(n, KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y), c, s), \
                KILN_PUT_QUEUES);                                                        \
  }
KILN_REAL(KILN_ROT, rot)
KILN_ROT(clblasCsrot, rot, std::complex<float>)
KILN_ROT(clblasZdrot, rot, std::complex<double>)

#define KILN_ROTM(name, routine, T)                                                               \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_BLOCK(param), KILN_QUEUES) {   \
    return made(                                                                                  \
        kiln::blas::routine<T>(n, KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y), KILN_PUT_BLOCK(param)), \
        KILN_PUT_QUEUES);                                                                         \
  }
KILN_REAL(KILN_ROTM, rotm)
