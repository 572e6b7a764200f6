// Level 2: products with and solutions of triangular matrices. Only the products have a scratch
// argument, which is not needed.

#include "blas/clblas/families.hpp"

#define KILN_TRXV(name, routine, precision, ...)                              \
  clblasStatus name(KILN_TRIANGLE, size_t n, KILN_MATRIX(a),                  \
                    KILN_VECTOR(x) __VA_OPT__(, ) __VA_ARGS__, KILN_QUEUES) { \
    return Request(Routine::routine, Precision::precision)                    \
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
    return Request(Routine::routine, Precision::precision)                    \
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
    return Request(Routine::routine, Precision::precision)                    \
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
