#include "blas/clblas/families.hpp"

// clBLAS's routines of level 2.
// ---- Y := alpha op(A) x + beta y.

#define KILN_GEMV(name, precision, scalar)                                                      \
  clblasStatus name(clblasOrder order, clblasTranspose trans, size_t m, size_t n, scalar alpha, \
                    KILN_MATRIX(a), KILN_VECTOR(x), scalar beta, KILN_VECTOR(y), KILN_QUEUES) { \
    return RoutineCall(Routine::gemv, Precision::precision)                                     \
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
    return RoutineCall(Routine::gbmv, Precision::precision)                                  \
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
    return RoutineCall(Routine::routine, Precision::precision)                                  \
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
    return RoutineCall(Routine::routine, Precision::precision)                                  \
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
    return RoutineCall(Routine::routine, Precision::precision)                                 \
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

// ---- Products with and solutions of triangular matrices. Only the products have a scratch
// argument, which is not needed.

#define KILN_TRXV(name, routine, precision, ...)                              \
  clblasStatus name(KILN_TRIANGLE, size_t n, KILN_MATRIX(a),                  \
                    KILN_VECTOR(x) __VA_OPT__(, ) __VA_ARGS__, KILN_QUEUES) { \
    return RoutineCall(Routine::routine, Precision::precision)                \
        .KILN_PUT_TRIANGLE.n(n)                                               \
        .KILN_PUT_MATRIX(a)                                                   \
        .KILN_PUT_VECTOR(x)                                                   \
        .KILN_RUN;                                                            \
  }
KILN_TRXV(clblasStrmv, trmv, s, cl_mem /*scratch*/)
KILN_TRXV(clblasDtrmv, trmv, d, cl_mem /*scratch*/)
KILN_TRXV(clblasCtrmv, trmv, c, cl_mem /*scratch*/)
KILN_TRXV(clblasZtrmv, trmv, z, cl_mem /*scratch*/)
KILN_TRXV(clblasStrsv, trsv, s)
KILN_TRXV(clblasDtrsv, trsv, d)
KILN_TRXV(clblasCtrsv, trsv, c)
KILN_TRXV(clblasZtrsv, trsv, z)

#define KILN_TBXV(name, routine, precision, ...)                              \
  clblasStatus name(KILN_TRIANGLE, size_t n, size_t k, KILN_MATRIX(a),        \
                    KILN_VECTOR(x) __VA_OPT__(, ) __VA_ARGS__, KILN_QUEUES) { \
    return RoutineCall(Routine::routine, Precision::precision)                \
        .KILN_PUT_TRIANGLE.n(n)                                               \
        .k(k)                                                                 \
        .KILN_PUT_MATRIX(a)                                                   \
        .KILN_PUT_VECTOR(x)                                                   \
        .KILN_RUN;                                                            \
  }
KILN_TBXV(clblasStbmv, tbmv, s, cl_mem /*scratch*/)
KILN_TBXV(clblasDtbmv, tbmv, d, cl_mem /*scratch*/)
KILN_TBXV(clblasCtbmv, tbmv, c, cl_mem /*scratch*/)
KILN_TBXV(clblasZtbmv, tbmv, z, cl_mem /*scratch*/)
KILN_TBXV(clblasStbsv, tbsv, s)
KILN_TBXV(clblasDtbsv, tbsv, d)
KILN_TBXV(clblasCtbsv, tbsv, c)
KILN_TBXV(clblasZtbsv, tbsv, z)

#define KILN_TPXV(name, routine, precision, ...)                              \
  clblasStatus name(KILN_TRIANGLE, size_t n, KILN_BLOCK(a),                   \
                    KILN_VECTOR(x) __VA_OPT__(, ) __VA_ARGS__, KILN_QUEUES) { \
    return RoutineCall(Routine::routine, Precision::precision)                \
        .KILN_PUT_TRIANGLE.n(n)                                               \
        .KILN_PUT_BLOCK(a)                                                    \
        .KILN_PUT_VECTOR(x)                                                   \
        .KILN_RUN;                                                            \
  }
KILN_TPXV(clblasStpmv, tpmv, s, cl_mem /*scratch*/)
KILN_TPXV(clblasDtpmv, tpmv, d, cl_mem /*scratch*/)
KILN_TPXV(clblasCtpmv, tpmv, c, cl_mem /*scratch*/)
KILN_TPXV(clblasZtpmv, tpmv, z, cl_mem /*scratch*/)
KILN_TPXV(clblasStpsv, tpsv, s)
KILN_TPXV(clblasDtpsv, tpsv, d)
KILN_TPXV(clblasCtpsv, tpsv, c)
KILN_TPXV(clblasZtpsv, tpsv, z)

// ---- Matrices plus products of vectors.

#define KILN_GER(name, routine, precision, scalar)                                       \
  clblasStatus name(clblasOrder order, size_t m, size_t n, scalar alpha, KILN_VECTOR(x), \
                    KILN_VECTOR(y), KILN_MATRIX(a), KILN_QUEUES) {                       \
    return RoutineCall(Routine::routine, Precision::precision)                           \
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
    return RoutineCall(Routine::routine, Precision::precision)                                  \
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
    return RoutineCall(Routine::routine, Precision::precision)                                  \
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
    return RoutineCall(Routine::routine, Precision::precision)                                  \
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
    return RoutineCall(Routine::routine, Precision::precision)                                  \
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
