#include "blas/clblas/families.hpp"

// clBLAS's routines of level 1.
// ---- Vectors to vectors.

#define KILN_TWO_VECTORS(name, routine, precision)                           \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUES) { \
    return RoutineCall(Routine::routine, Precision::precision)               \
        .n(n)                                                                \
        .KILN_PUT_VECTOR(x)                                                  \
        .KILN_PUT_VECTOR(y)                                                  \
        .KILN_RUN;                                                           \
  }
KILN_TWO_VECTORS(clblasSswap, swap, s)
KILN_TWO_VECTORS(clblasDswap, swap, d)
KILN_TWO_VECTORS(clblasCswap, swap, c)
KILN_TWO_VECTORS(clblasZswap, swap, z)
KILN_TWO_VECTORS(clblasScopy, copy, s)
KILN_TWO_VECTORS(clblasDcopy, copy, d)
KILN_TWO_VECTORS(clblasCcopy, copy, c)
KILN_TWO_VECTORS(clblasZcopy, copy, z)

#define KILN_SCAL(name, precision, scalar)                                 \
  clblasStatus name(size_t n, scalar alpha, KILN_VECTOR(x), KILN_QUEUES) { \
    return RoutineCall(Routine::scal, Precision::precision)                \
        .n(n)                                                              \
        .alpha(alpha)                                                      \
        .KILN_PUT_VECTOR(x)                                                \
        .KILN_RUN;                                                         \
  }
KILN_SCAL(clblasSscal, s, cl_float)
KILN_SCAL(clblasDscal, d, cl_double)
KILN_SCAL(clblasCscal, c, FloatComplex)
KILN_SCAL(clblasZscal, z, DoubleComplex)
KILN_SCAL(clblasCsscal, c, cl_float)
KILN_SCAL(clblasZdscal, z, cl_double)

#define KILN_AXPY(name, precision, scalar)                                                 \
  clblasStatus name(size_t n, scalar alpha, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUES) { \
    return RoutineCall(Routine::axpy, Precision::precision)                                \
        .n(n)                                                                              \
        .alpha(alpha)                                                                      \
        .KILN_PUT_VECTOR(x)                                                                \
        .KILN_PUT_VECTOR(y)                                                                \
        .KILN_RUN;                                                                         \
  }
KILN_AXPY(clblasSaxpy, s, cl_float)
KILN_AXPY(clblasDaxpy, d, cl_double)
KILN_AXPY(clblasCaxpy, c, FloatComplex)
KILN_AXPY(clblasZaxpy, z, DoubleComplex)

// ---- Vectors to one number, in memory. The scratch buffers are not needed.

#define KILN_DOT(name, routine, precision)                                                       \
  clblasStatus name(size_t n, KILN_BLOCK(z), KILN_VECTOR(x), KILN_VECTOR(y), cl_mem /*scratch*/, \
                    KILN_QUEUES) {                                                               \
    return RoutineCall(Routine::routine, Precision::precision)                                   \
        .n(n)                                                                                    \
        .KILN_PUT_BLOCK(z)                                                                       \
        .KILN_PUT_VECTOR(x)                                                                      \
        .KILN_PUT_VECTOR(y)                                                                      \
        .KILN_RUN;                                                                               \
  }
KILN_DOT(clblasSdot, dot, s)
KILN_DOT(clblasDdot, dot, d)
KILN_DOT(clblasCdotu, dot, c)
KILN_DOT(clblasZdotu, dot, z)
KILN_DOT(clblasCdotc, dotc, c)
KILN_DOT(clblasZdotc, dotc, z)

// The precision is the vector's, also where the result is of a real type or an index.
#define KILN_REDUCTION(name, routine, precision)                                                \
  clblasStatus name(size_t n, KILN_BLOCK(z), KILN_VECTOR(x), cl_mem /*scratch*/, KILN_QUEUES) { \
    return RoutineCall(Routine::routine, Precision::precision)                                  \
        .n(n)                                                                                   \
        .KILN_PUT_BLOCK(z)                                                                      \
        .KILN_PUT_VECTOR(x)                                                                     \
        .KILN_RUN;                                                                              \
  }
KILN_REDUCTION(clblasSnrm2, nrm2, s)
KILN_REDUCTION(clblasDnrm2, nrm2, d)
KILN_REDUCTION(clblasScnrm2, nrm2, c)
KILN_REDUCTION(clblasDznrm2, nrm2, z)
KILN_REDUCTION(clblasiSamax, iamax, s)
KILN_REDUCTION(clblasiDamax, iamax, d)
KILN_REDUCTION(clblasiCamax, iamax, c)
KILN_REDUCTION(clblasiZamax, iamax, z)
KILN_REDUCTION(clblasSasum, asum, s)
KILN_REDUCTION(clblasDasum, asum, d)
KILN_REDUCTION(clblasScasum, asum, c)
KILN_REDUCTION(clblasDzasum, asum, z)

// ---- Plane rotations.

#define KILN_ROTG(name, precision)                                                             \
  clblasStatus name(KILN_BLOCK(x), KILN_BLOCK(y), KILN_BLOCK(z), KILN_BLOCK(w), KILN_QUEUES) { \
    return RoutineCall(Routine::rotg, Precision::precision)                                    \
        .KILN_PUT_BLOCK(x)                                                                     \
        .KILN_PUT_BLOCK(y)                                                                     \
        .KILN_PUT_BLOCK(z)                                                                     \
        .KILN_PUT_BLOCK(w)                                                                     \
        .KILN_RUN;                                                                             \
  }
KILN_ROTG(clblasSrotg, s)
KILN_ROTG(clblasDrotg, d)
KILN_ROTG(clblasCrotg, c)
KILN_ROTG(clblasZrotg, z)

#define KILN_ROTMG(name, precision)                                                            \
  clblasStatus name(KILN_BLOCK(a), KILN_BLOCK(b), KILN_BLOCK(x), KILN_BLOCK(y), KILN_BLOCK(z), \
                    KILN_QUEUES) {                                                             \
    return RoutineCall(Routine::rotmg, Precision::precision)                                   \
        .KILN_PUT_BLOCK(a)                                                                     \
        .KILN_PUT_BLOCK(b)                                                                     \
        .KILN_PUT_BLOCK(x)                                                                     \
        .KILN_PUT_BLOCK(y)                                                                     \
        .KILN_PUT_BLOCK(z)                                                                     \
        .KILN_RUN;                                                                             \
  }
KILN_ROTMG(clblasSrotmg, s)
KILN_ROTMG(clblasDrotmg, d)

// A Call has the cosine and the sine in alpha and beta.
#define KILN_ROT(name, precision, scalar)                                                        \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), scalar c, scalar s, KILN_QUEUES) { \
    return RoutineCall(Routine::rot, Precision::precision)                                       \
        .n(n)                                                                                    \
        .alpha(c)                                                                                \
        .beta(s)                                                                                 \
        .KILN_PUT_VECTOR(x)                                                                      \
        .KILN_PUT_VECTOR(y)                                                                      \
        .KILN_RUN;                                                                               \
  }
KILN_ROT(clblasSrot, s, cl_float)
KILN_ROT(clblasDrot, d, cl_double)
KILN_ROT(clblasCsrot, c, cl_float)
KILN_ROT(clblasZdrot, z, cl_double)

#define KILN_ROTM(name, precision)                                                          \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_BLOCK(z), KILN_QUEUES) { \
    return RoutineCall(Routine::rotm, Precision::precision)                                 \
        .n(n)                                                                               \
        .KILN_PUT_VECTOR(x)                                                                 \
        .KILN_PUT_VECTOR(y)                                                                 \
        .KILN_PUT_BLOCK(z)                                                                  \
        .KILN_RUN;                                                                          \
  }
KILN_ROTM(clblasSrotm, s)
KILN_ROTM(clblasDrotm, d)
