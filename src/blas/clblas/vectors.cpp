// Level 1: vectors to vectors.

#include "blas/clblas/families.hpp"

#define KILN_TWO_VECTORS(name, routine, precision)                           \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUES) { \
    return Request(Routine::routine, Precision::precision)                   \
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
    return Request(Routine::scal, Precision::precision)                    \
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
    return Request(Routine::axpy, Precision::precision)                                    \
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
