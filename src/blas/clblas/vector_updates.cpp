// Level 2: matrices plus products of vectors.

#include "blas/clblas/families.hpp"

#define KILN_GER(name, routine, precision, scalar)                                       \
  clblasStatus name(clblasOrder order, size_t m, size_t n, scalar alpha, KILN_VECTOR(x), \
                    KILN_VECTOR(y), KILN_MATRIX(a), KILN_QUEUES) {                       \
    return Request(Routine::routine, Precision::precision)                               \
        .order(order)                                                                    \
        .m(m)                                                                            \
        .n(n)                                                                            \
        .alpha(alpha)                                                                    \
        .KILN_PUT_VECTOR(x)                                                              \
        .KILN_PUT_VECTOR(y)                                                              \
        .KILN_PUT_MATRIX(a)                                                              \
        .KILN_RUN;                                                                       \
  }
KILN_GER(clblasSger, ger, s, cl_float)
KILN_GER(clblasDger, ger, d, cl_double)
KILN_GER(clblasCgeru, ger, c, FloatComplex)
KILN_GER(clblasZgeru, ger, z, DoubleComplex)
KILN_GER(clblasCgerc, gerc, c, FloatComplex)
KILN_GER(clblasZgerc, gerc, z, DoubleComplex)

#define KILN_SYR(name, routine, precision, scalar)                                              \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, scalar alpha, KILN_VECTOR(x), \
                    KILN_MATRIX(a), KILN_QUEUES) {                                              \
    return Request(Routine::routine, Precision::precision)                                      \
        .order(order)                                                                           \
        .uplo(uplo)                                                                             \
        .n(n)                                                                                   \
        .alpha(alpha)                                                                           \
        .KILN_PUT_VECTOR(x)                                                                     \
        .KILN_PUT_MATRIX(a)                                                                     \
        .KILN_RUN;                                                                              \
  }
KILN_SYR(clblasSsyr, syr, s, cl_float)
KILN_SYR(clblasDsyr, syr, d, cl_double)
KILN_SYR(clblasCher, her, c, cl_float)
KILN_SYR(clblasZher, her, z, cl_double)

#define KILN_SYR2(name, routine, precision, scalar)                                             \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, scalar alpha, KILN_VECTOR(x), \
                    KILN_VECTOR(y), KILN_MATRIX(a), KILN_QUEUES) {                              \
    return Request(Routine::routine, Precision::precision)                                      \
        .order(order)                                                                           \
        .uplo(uplo)                                                                             \
        .n(n)                                                                                   \
        .alpha(alpha)                                                                           \
        .KILN_PUT_VECTOR(x)                                                                     \
        .KILN_PUT_VECTOR(y)                                                                     \
        .KILN_PUT_MATRIX(a)                                                                     \
        .KILN_RUN;                                                                              \
  }
KILN_SYR2(clblasSsyr2, syr2, s, cl_float)
KILN_SYR2(clblasDsyr2, syr2, d, cl_double)
KILN_SYR2(clblasCher2, her2, c, FloatComplex)
KILN_SYR2(clblasZher2, her2, z, DoubleComplex)

#define KILN_SPR(name, routine, precision, scalar)                                              \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, scalar alpha, KILN_VECTOR(x), \
                    KILN_BLOCK(a), KILN_QUEUES) {                                               \
    return Request(Routine::routine, Precision::precision)                                      \
        .order(order)                                                                           \
        .uplo(uplo)                                                                             \
        .n(n)                                                                                   \
        .alpha(alpha)                                                                           \
        .KILN_PUT_VECTOR(x)                                                                     \
        .KILN_PUT_BLOCK(a)                                                                      \
        .KILN_RUN;                                                                              \
  }
KILN_SPR(clblasSspr, spr, s, cl_float)
KILN_SPR(clblasDspr, spr, d, cl_double)
KILN_SPR(clblasChpr, hpr, c, cl_float)
KILN_SPR(clblasZhpr, hpr, z, cl_double)

#define KILN_SPR2(name, routine, precision, scalar)                                             \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, scalar alpha, KILN_VECTOR(x), \
                    KILN_VECTOR(y), KILN_BLOCK(a), KILN_QUEUES) {                               \
    return Request(Routine::routine, Precision::precision)                                      \
        .order(order)                                                                           \
        .uplo(uplo)                                                                             \
        .n(n)                                                                                   \
        .alpha(alpha)                                                                           \
        .KILN_PUT_VECTOR(x)                                                                     \
        .KILN_PUT_VECTOR(y)                                                                     \
        .KILN_PUT_BLOCK(a)                                                                      \
        .KILN_RUN;                                                                              \
  }
KILN_SPR2(clblasSspr2, spr2, s, cl_float)
KILN_SPR2(clblasDspr2, spr2, d, cl_double)
KILN_SPR2(clblasChpr2, hpr2, c, FloatComplex)
KILN_SPR2(clblasZhpr2, hpr2, z, DoubleComplex)
