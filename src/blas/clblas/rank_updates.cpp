// Level 3: symmetric and Hermitian products of a matrix with itself, or with another one.

#include "blas/clblas/families.hpp"

#define KILN_SYRK(name, routine, precision, scalar)                                                \
  clblasStatus name(clblasOrder order, clblasUplo uplo, clblasTranspose trans, size_t n, size_t k, \
                    scalar alpha, KILN_MATRIX(a), scalar beta, KILN_MATRIX(c), KILN_QUEUES) {      \
    return Request(Routine::routine, Precision::precision)                                         \
        .order(order)                                                                              \
        .uplo(uplo)                                                                                \
        .trans(trans)                                                                              \
        .n(n)                                                                                      \
        .k(k)                                                                                      \
        .alpha(alpha)                                                                              \
        .KILN_PUT_MATRIX(a)                                                                        \
        .beta(beta)                                                                                \
        .KILN_PUT_MATRIX(c)                                                                        \
        .KILN_RUN;                                                                                 \
  }
KILN_SYRK(clblasSsyrk, syrk, s, cl_float)
KILN_SYRK(clblasDsyrk, syrk, d, cl_double)
KILN_SYRK(clblasCsyrk, syrk, c, FloatComplex)
KILN_SYRK(clblasZsyrk, syrk, z, DoubleComplex)
KILN_SYRK(clblasCherk, herk, c, cl_float)
KILN_SYRK(clblasZherk, herk, z, cl_double)

// her2k has a complex alpha and a real beta.
#define KILN_SYR2K(name, routine, precision, alpha_type, beta_type)                                \
  clblasStatus name(clblasOrder order, clblasUplo uplo, clblasTranspose trans, size_t n, size_t k, \
                    alpha_type alpha, KILN_MATRIX(a), KILN_MATRIX(b), beta_type beta,              \
                    KILN_MATRIX(c), KILN_QUEUES) {                                                 \
    return Request(Routine::routine, Precision::precision)                                         \
        .order(order)                                                                              \
        .uplo(uplo)                                                                                \
        .trans(trans)                                                                              \
        .n(n)                                                                                      \
        .k(k)                                                                                      \
        .alpha(alpha)                                                                              \
        .KILN_PUT_MATRIX(a)                                                                        \
        .KILN_PUT_MATRIX(b)                                                                        \
        .beta(beta)                                                                                \
        .KILN_PUT_MATRIX(c)                                                                        \
        .KILN_RUN;                                                                                 \
  }
KILN_SYR2K(clblasSsyr2k, syr2k, s, cl_float, cl_float)
KILN_SYR2K(clblasDsyr2k, syr2k, d, cl_double, cl_double)
KILN_SYR2K(clblasCsyr2k, syr2k, c, FloatComplex, FloatComplex)
KILN_SYR2K(clblasZsyr2k, syr2k, z, DoubleComplex, DoubleComplex)
KILN_SYR2K(clblasCher2k, her2k, c, FloatComplex, cl_float)
KILN_SYR2K(clblasZher2k, her2k, z, DoubleComplex, cl_double)
