#include "blas/clblas/families.hpp"

// clBLAS's routines of level 3.
// ---- Products and solutions with a matrix on either side

#define KILN_GEMM(name, routine, T)                                                                \
  clblasStatus name(clblasOrder order, clblasTranspose trans_a, clblasTranspose trans_b, size_t m, \
                    size_t n, size_t k, CScalar<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b),          \
                    CScalar<T> beta, KILN_MATRIX(c), KILN_QUEUES) {                                \
    return made(kiln::blas::routine<T>(from_c(order), from_c(trans_a), from_c(trans_b), m, n, k,   \
                                       from_c(alpha), KILN_PUT_MATRIX(a), KILN_PUT_MATRIX(b),      \
                                       from_c(beta), KILN_PUT_MATRIX(c)),                          \
                KILN_PUT_QUEUES);                                                                  \
  }
KILN_ALL(KILN_GEMM, gemm)

#define KILN_TRXM(name, routine, T)                                                              \
  clblasStatus name(clblasOrder order, clblasSide side, clblasUplo uplo, clblasTranspose trans,  \
                    clblasDiag diag, size_t m, size_t n, CScalar<T> alpha, KILN_MATRIX(a),       \
                    KILN_MATRIX(b), KILN_QUEUES) {                                               \
    return made(kiln::blas::routine<T>(from_c(order), from_c(side), from_c(uplo), from_c(trans), \
                                       from_c(diag), m, n, from_c(alpha), KILN_PUT_MATRIX(a),    \
                                       KILN_PUT_MATRIX(b)),                                      \
                KILN_PUT_QUEUES);                                                                \
  }
KILN_ALL(KILN_TRXM, trmm)
KILN_ALL(KILN_TRXM, trsm)

#define KILN_SYMM(name, routine, T)                                                           \
  clblasStatus name(clblasOrder order, clblasSide side, clblasUplo uplo, size_t m, size_t n,  \
                    CScalar<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b), CScalar<T> beta,        \
                    KILN_MATRIX(c), KILN_QUEUES) {                                            \
    return made(kiln::blas::routine<T>(from_c(order), from_c(side), from_c(uplo), m, n,       \
                                       from_c(alpha), KILN_PUT_MATRIX(a), KILN_PUT_MATRIX(b), \
                                       from_c(beta), KILN_PUT_MATRIX(c)),                     \
                KILN_PUT_QUEUES);                                                             \
  }
KILN_ALL(KILN_SYMM, symm)
KILN_COMPLEX(KILN_SYMM, hemm)

// ---- Symmetric and Hermitian products of a matrix with itself, or with another one. herk has real
// scalars, her2k a complex alpha and a real beta.

#define KILN_SYRK(name, routine, T, ScalarOf)                                                      \
  clblasStatus name(clblasOrder order, clblasUplo uplo, clblasTranspose trans, size_t n, size_t k, \
                    ScalarOf<T> alpha, KILN_MATRIX(a), ScalarOf<T> beta, KILN_MATRIX(c),           \
                    KILN_QUEUES) {                                                                 \
    return made(                                                                                   \
        kiln::blas::routine<T>(from_c(order), from_c(uplo), from_c(trans), n, k, from_c(alpha),    \
                               KILN_PUT_MATRIX(a), from_c(beta), KILN_PUT_MATRIX(c)),              \
        KILN_PUT_QUEUES);                                                                          \
  }
KILN_ALL(KILN_SYRK, syrk, CScalar)
KILN_COMPLEX(KILN_SYRK, herk, RealOf)

#define KILN_SYR2K(name, routine, T, BetaOf)                                                       \
  clblasStatus name(clblasOrder order, clblasUplo uplo, clblasTranspose trans, size_t n, size_t k, \
                    CScalar<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b), BetaOf<T> beta,              \
                    KILN_MATRIX(c), KILN_QUEUES) {                                                 \
    return made(kiln::blas::routine<T>(from_c(order), from_c(uplo), from_c(trans), n, k,           \
                                       from_c(alpha), KILN_PUT_MATRIX(a), KILN_PUT_MATRIX(b),      \
                                       from_c(beta), KILN_PUT_MATRIX(c)),                          \
                KILN_PUT_QUEUES);                                                                  \
  }
KILN_ALL(KILN_SYR2K, syr2k, CScalar)
KILN_COMPLEX(KILN_SYR2K, her2k, RealOf)
