#include "blas/clblas/families.hpp"

// clBLAS's routines of level 3.
// ---- Products and solutions with a matrix on either side.

#define KILN_GEMM(name, precision, scalar)                                                         \
  clblasStatus name(clblasOrder order, clblasTranspose trans_a, clblasTranspose trans_b, size_t m, \
                    size_t n, size_t k, scalar alpha, KILN_MATRIX(a), KILN_MATRIX(b), scalar beta, \
                    KILN_MATRIX(c), KILN_QUEUES) {                                                 \
    return RoutineCall(Routine::gemm, Precision::precision)                                        \
        .order(order)                                                                              \
        .trans(trans_a, trans_b)                                                                   \
        .m(m)                                                                                      \
        .n(n)                                                                                      \
        .k(k)                                                                                      \
        .alpha(alpha)                                                                              \
        .KILN_PUT_MATRIX(a)                                                                        \
        .KILN_PUT_MATRIX(b)                                                                        \
        .beta(beta)                                                                                \
        .KILN_PUT_MATRIX(c)                                                                        \
        .KILN_RUN;                                                                                 \
  }
KILN_GEMM(clblasSgemm, s, cl_float)
KILN_GEMM(clblasDgemm, d, cl_double)
KILN_GEMM(clblasCgemm, c, FloatComplex)
KILN_GEMM(clblasZgemm, z, DoubleComplex)

#define KILN_TRXM(name, routine, precision, scalar)                                             \
  clblasStatus name(clblasOrder order, clblasSide side, clblasUplo uplo, clblasTranspose trans, \
                    clblasDiag diag, size_t m, size_t n, scalar alpha, KILN_MATRIX(a),          \
                    KILN_MATRIX(b), KILN_QUEUES) {                                              \
    return RoutineCall(Routine::routine, Precision::precision)                                  \
        .side(side)                                                                             \
        .KILN_PUT_TRIANGLE.m(m)                                                                 \
        .n(n)                                                                                   \
        .alpha(alpha)                                                                           \
        .KILN_PUT_MATRIX(a)                                                                     \
        .KILN_PUT_MATRIX(b)                                                                     \
        .KILN_RUN;                                                                              \
  }
KILN_TRXM(clblasStrmm, trmm, s, cl_float)
KILN_TRXM(clblasDtrmm, trmm, d, cl_double)
KILN_TRXM(clblasCtrmm, trmm, c, FloatComplex)
KILN_TRXM(clblasZtrmm, trmm, z, DoubleComplex)
KILN_TRXM(clblasStrsm, trsm, s, cl_float)
KILN_TRXM(clblasDtrsm, trsm, d, cl_double)
KILN_TRXM(clblasCtrsm, trsm, c, FloatComplex)
KILN_TRXM(clblasZtrsm, trsm, z, DoubleComplex)

#define KILN_SYMM(name, routine, precision, scalar)                                            \
  clblasStatus name(clblasOrder order, clblasSide side, clblasUplo uplo, size_t m, size_t n,   \
                    scalar alpha, KILN_MATRIX(a), KILN_MATRIX(b), scalar beta, KILN_MATRIX(c), \
                    KILN_QUEUES) {                                                             \
    return RoutineCall(Routine::routine, Precision::precision)                                 \
        .order(order)                                                                          \
        .side(side)                                                                            \
        .uplo(uplo)                                                                            \
        .m(m)                                                                                  \
        .n(n)                                                                                  \
        .alpha(alpha)                                                                          \
        .KILN_PUT_MATRIX(a)                                                                    \
        .KILN_PUT_MATRIX(b)                                                                    \
        .beta(beta)                                                                            \
        .KILN_PUT_MATRIX(c)                                                                    \
        .KILN_RUN;                                                                             \
  }
KILN_SYMM(clblasSsymm, symm, s, cl_float)
KILN_SYMM(clblasDsymm, symm, d, cl_double)
KILN_SYMM(clblasCsymm, symm, c, FloatComplex)
KILN_SYMM(clblasZsymm, symm, z, DoubleComplex)
KILN_SYMM(clblasChemm, hemm, c, FloatComplex)
KILN_SYMM(clblasZhemm, hemm, z, DoubleComplex)

// ---- Symmetric and Hermitian products of a matrix with itself, or with another one.

#define KILN_SYRK(name, routine, precision, scalar)                                                \
  clblasStatus name(clblasOrder order, clblasUplo uplo, clblasTranspose trans, size_t n, size_t k, \
                    scalar alpha, KILN_MATRIX(a), scalar beta, KILN_MATRIX(c), KILN_QUEUES) {      \
    return RoutineCall(Routine::routine, Precision::precision)                                     \
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
    return RoutineCall(Routine::routine, Precision::precision)                                     \
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
