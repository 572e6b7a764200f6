#include "blas/clblas/families.hpp"

// clBLAS's routines of level 2. STORED is how A is: a MATRIX (all of it, or a band, whose width k
// comes last) or a BLOCK (packed).
// ---- y := alpha op(A) x + beta y

#define KILN_GEMV(name, routine, T)                                                          \
  clblasStatus name(clblasOrder order, clblasTranspose trans, size_t m, size_t n,            \
                    CScalar<T> alpha, KILN_MATRIX(a), KILN_VECTOR(x), CScalar<T> beta,       \
                    KILN_VECTOR(y), KILN_QUEUES) {                                           \
    return made(kiln::blas::routine<T>(from_c(order), from_c(trans), m, n, from_c(alpha),    \
                                       KILN_PUT_MATRIX(a), KILN_PUT_VECTOR(x), from_c(beta), \
                                       KILN_PUT_VECTOR(y)),                                  \
                KILN_PUT_QUEUES);                                                            \
  }
KILN_ALL(KILN_GEMV, gemv)

#define KILN_GBMV(name, routine, T)                                                               \
  clblasStatus name(clblasOrder order, clblasTranspose trans, size_t m, size_t n, size_t kl,      \
                    size_t ku, CScalar<T> alpha, KILN_MATRIX(a), KILN_VECTOR(x), CScalar<T> beta, \
                    KILN_VECTOR(y), KILN_QUEUES) {                                                \
    return made(kiln::blas::routine<T>(from_c(order), from_c(trans), m, n, kl, ku, from_c(alpha), \
                                       KILN_PUT_MATRIX(a), KILN_PUT_VECTOR(x), from_c(beta),      \
                                       KILN_PUT_VECTOR(y)),                                       \
                KILN_PUT_QUEUES);                                                                 \
  }
KILN_ALL(KILN_GBMV, gbmv)

#define KILN_SYMV(name, routine, T, STORED, ...)                                                   \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n __VA_OPT__(, size_t) __VA_ARGS__, \
                    CScalar<T> alpha, KILN_##STORED(a), KILN_VECTOR(x), CScalar<T> beta,           \
                    KILN_VECTOR(y), KILN_QUEUES) {                                                 \
    return made(kiln::blas::routine<T>(from_c(order), from_c(uplo), n __VA_OPT__(, ) __VA_ARGS__,  \
                                       from_c(alpha), KILN_PUT_##STORED(a), KILN_PUT_VECTOR(x),    \
                                       from_c(beta), KILN_PUT_VECTOR(y)),                          \
                KILN_PUT_QUEUES);                                                                  \
  }
KILN_REAL(KILN_SYMV, symv, MATRIX)
KILN_COMPLEX(KILN_SYMV, hemv, MATRIX)
KILN_REAL(KILN_SYMV, sbmv, MATRIX, k)
KILN_COMPLEX(KILN_SYMV, hbmv, MATRIX, k)
KILN_REAL(KILN_SYMV, spmv, BLOCK)
KILN_COMPLEX(KILN_SYMV, hpmv, BLOCK)

// ---- Products with and solutions of triangular matrices. Only the products have a scratch
// argument, which is not needed.

#define KILN_TRXV(name, routine, T, STORED, END, ...)                                           \
  clblasStatus name(KILN_TRIANGLE, size_t n __VA_OPT__(, size_t) __VA_ARGS__, KILN_##STORED(a), \
                    KILN_VECTOR(x), KILN_##END) {                                               \
    return made(kiln::blas::routine<T>(KILN_PUT_TRIANGLE, n __VA_OPT__(, ) __VA_ARGS__,         \
                                       KILN_PUT_##STORED(a), KILN_PUT_VECTOR(x)),               \
                KILN_PUT_QUEUES);                                                               \
  }
KILN_ALL(KILN_TRXV, trmv, MATRIX, SCRATCH_QUEUES)
KILN_ALL(KILN_TRXV, tbmv, MATRIX, SCRATCH_QUEUES, k)
KILN_ALL(KILN_TRXV, tpmv, BLOCK, SCRATCH_QUEUES)
KILN_ALL(KILN_TRXV, trsv, MATRIX, QUEUES)
KILN_ALL(KILN_TRXV, tbsv, MATRIX, QUEUES, k)
KILN_ALL(KILN_TRXV, tpsv, BLOCK, QUEUES)

// ---- Matrices plus products of vectors

#define KILN_GER(name, routine, T)                                                             \
  clblasStatus name(clblasOrder order, size_t m, size_t n, CScalar<T> alpha, KILN_VECTOR(x),   \
                    KILN_VECTOR(y), KILN_MATRIX(a), KILN_QUEUES) {                             \
    return made(kiln::blas::routine<T>(from_c(order), m, n, from_c(alpha), KILN_PUT_VECTOR(x), \
                                       KILN_PUT_VECTOR(y), KILN_PUT_MATRIX(a)),                \
                KILN_PUT_QUEUES);                                                              \
  }
KILN_REAL(KILN_GER, ger)
KILN_COMPLEX(KILN_GER, gerc)
KILN_GER(clblasCgeru, ger, std::complex<float>)
KILN_GER(clblasZgeru, ger, std::complex<double>)

#define KILN_SYR(name, routine, T, STORED)                                                         \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, RealOf<T> alpha, KILN_VECTOR(x), \
                    KILN_##STORED(a), KILN_QUEUES) {                                               \
    return made(kiln::blas::routine<T>(from_c(order), from_c(uplo), n, alpha, KILN_PUT_VECTOR(x),  \
                                       KILN_PUT_##STORED(a)),                                      \
                KILN_PUT_QUEUES);                                                                  \
  }
KILN_REAL(KILN_SYR, syr, MATRIX)
KILN_COMPLEX(KILN_SYR, her, MATRIX)
KILN_REAL(KILN_SYR, spr, BLOCK)
KILN_COMPLEX(KILN_SYR, hpr, BLOCK)

#define KILN_SYR2(name, routine, T, STORED)                                                       \
  clblasStatus name(clblasOrder order, clblasUplo uplo, size_t n, CScalar<T> alpha,               \
                    KILN_VECTOR(x), KILN_VECTOR(y), KILN_##STORED(a), KILN_QUEUES) {              \
    return made(                                                                                  \
        kiln::blas::routine<T>(from_c(order), from_c(uplo), n, from_c(alpha), KILN_PUT_VECTOR(x), \
                               KILN_PUT_VECTOR(y), KILN_PUT_##STORED(a)),                         \
        KILN_PUT_QUEUES);                                                                         \
  }
KILN_REAL(KILN_SYR2, syr2, MATRIX)
KILN_COMPLEX(KILN_SYR2, her2, MATRIX)
KILN_REAL(KILN_SYR2, spr2, BLOCK)
KILN_COMPLEX(KILN_SYR2, hpr2, BLOCK)
