// Level 2: y := alpha op(A) x + beta y.

#include "blas/clblas/families.hpp"

#define KILN_GEMV(name, precision, scalar)                                                      \
  clblasStatus name(clblasOrder order, clblasTranspose trans, size_t m, size_t n, scalar alpha, \
                    KILN_MATRIX(a), KILN_VECTOR(x), scalar beta, KILN_VECTOR(y), KILN_QUEUES) { \
    return Request(Routine::gemv, Precision::precision)                                         \
        .order(order)                                                                           \
        .trans(trans)                                                                           \
        .m(m)                                                                                   \
        .n(n)                                                                                   \
        .alpha(alpha)                                                                           \
        .KILN_PUT_MATRIX(a)                                                                     \
        .KILN_PUT_VECTOR(x)                                                                     \
        .beta(beta)                                                                             \
        .KILN_PUT_VECTOR(y)                                                                     \
        .KILN_RUN;                                                                              \
  }
KILN_GEMV(clblasSgemv, s, cl_float)
KILN_GEMV(clblasDgemv, d, cl_double)
KILN_GEMV(clblasCgemv, c, FloatComplex)
KILN_GEMV(clblasZgemv, z, DoubleComplex)

#define KILN_GBMV(name, precision, scalar)                                                   \
  clblasStatus name(clblasOrder order, clblasTranspose trans, size_t m, size_t n, size_t kl, \
                    size_t ku, scalar alpha, KILN_MATRIX(a), KILN_VECTOR(x), scalar beta,    \
                    KILN_VECTOR(y), KILN_QUEUES) {                                           \
    return Request(Routine::gbmv, Precision::precision)                                      \
        .order(order)                                                                        \
        .trans(trans)                                                                        \
        .m(m)                                                                                \
        .n(n)                                                                                \
        .band(kl, ku)                                                                        \
        .alpha(alpha)                                                                        \
        .KILN_PUT_MATRIX(a)                                                                  \
        .KILN_PUT_VECTOR(x)                                                                  \
        .beta(beta)                                                                          \
        .KILN_PUT_VECTOR(y)                                                                  \
        .KILN_RUN;                                                                           \
  }
KILN_GBMV(clblasSgbmv, s, cl_float)
KILN_GBMV(clblasDgbmv, d, cl_double)
KILN_GBMV(clblasCgbmv, c, FloatComplex)
KILN_GBMV(clblasZgbmv, z, DoubleComplex)

#define KILN_SYMV(name, routine, precision, scalar)                                             \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, scalar alpha, KILN_MATRIX(a), \
                    KILN_VECTOR(x), scalar beta, KILN_VECTOR(y), KILN_QUEUES) {                 \
    return Request(Routine::routine, Precision::precision)                                      \
        .order(order)                                                                           \
        .uplo(uplo)                                                                             \
        .n(n)                                                                                   \
        .alpha(alpha)                                                                           \
        .KILN_PUT_MATRIX(a)                                                                     \
        .KILN_PUT_VECTOR(x)                                                                     \
        .beta(beta)                                                                             \
        .KILN_PUT_VECTOR(y)                                                                     \
        .KILN_RUN;                                                                              \
  }
KILN_SYMV(clblasSsymv, symv, s, cl_float)
KILN_SYMV(clblasDsymv, symv, d, cl_double)
KILN_SYMV(clblasChemv, hemv, c, FloatComplex)
KILN_SYMV(clblasZhemv, hemv, z, DoubleComplex)

#define KILN_SBMV(name, routine, precision, scalar)                                             \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, size_t k, scalar alpha,       \
                    KILN_MATRIX(a), KILN_VECTOR(x), scalar beta, KILN_VECTOR(y), KILN_QUEUES) { \
    return Request(Routine::routine, Precision::precision)                                      \
        .order(order)                                                                           \
        .uplo(uplo)                                                                             \
        .n(n)                                                                                   \
        .k(k)                                                                                   \
        .alpha(alpha)                                                                           \
        .KILN_PUT_MATRIX(a)                                                                     \
        .KILN_PUT_VECTOR(x)                                                                     \
        .beta(beta)                                                                             \
        .KILN_PUT_VECTOR(y)                                                                     \
        .KILN_RUN;                                                                              \
  }
KILN_SBMV(clblasSsbmv, sbmv, s, cl_float)
KILN_SBMV(clblasDsbmv, sbmv, d, cl_double)
KILN_SBMV(clblasChbmv, hbmv, c, FloatComplex)
KILN_SBMV(clblasZhbmv, hbmv, z, DoubleComplex)

#define KILN_SPMV(name, routine, precision, scalar)                                            \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, scalar alpha, KILN_BLOCK(a), \
                    KILN_VECTOR(x), scalar beta, KILN_VECTOR(y), KILN_QUEUES) {                \
    return Request(Routine::routine, Precision::precision)                                     \
        .order(order)                                                                          \
        .uplo(uplo)                                                                            \
        .n(n)                                                                                  \
        .alpha(alpha)                                                                          \
        .KILN_PUT_BLOCK(a)                                                                     \
        .KILN_PUT_VECTOR(x)                                                                    \
        .beta(beta)                                                                            \
        .KILN_PUT_VECTOR(y)                                                                    \
        .KILN_RUN;                                                                             \
  }
KILN_SPMV(clblasSspmv, spmv, s, cl_float)
KILN_SPMV(clblasDspmv, spmv, d, cl_double)
KILN_SPMV(clblasChpmv, hpmv, c, FloatComplex)
KILN_SPMV(clblasZhpmv, hpmv, z, DoubleComplex)
