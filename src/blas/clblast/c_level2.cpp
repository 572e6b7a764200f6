#include "blas/clblast/c_interface.hpp"

// clblast_c.h's routines of level 2. FORM is how A lies: a MATRIX, or a BLOCK (packed).

#define KILN_GEMV(name, Cpp, T)                                                             \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTranspose trans, size_t m, size_t n,  \
                         CNumber<T> alpha, KILN_MATRIX(a), KILN_VECTOR(x), CNumber<T> beta, \
                         KILN_VECTOR(y), KILN_QUEUE) {                                      \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(trans), m, n, from_c(alpha),         \
                                KILN_PUT_MATRIX(a), KILN_PUT_VECTOR(x), from_c(beta),       \
                                KILN_PUT_VECTOR(y), KILN_PUT_QUEUE));                       \
  }
KILN_ALL(KILN_GEMV, gemv, Gemv)

#define KILN_GBMV(name, Cpp, T)                                                                  \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTranspose trans, size_t m, size_t n,       \
                         size_t kl, size_t ku, CNumber<T> alpha, KILN_MATRIX(a), KILN_VECTOR(x), \
                         CNumber<T> beta, KILN_VECTOR(y), KILN_QUEUE) {                          \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(trans), m, n, kl, ku, from_c(alpha),      \
                                KILN_PUT_MATRIX(a), KILN_PUT_VECTOR(x), from_c(beta),            \
                                KILN_PUT_VECTOR(y), KILN_PUT_QUEUE));                            \
  }
KILN_ALL(KILN_GBMV, gbmv, Gbmv)

#define KILN_MIRRORED(name, Cpp, T, FORM)                                                   \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,          \
                         CNumber<T> alpha, KILN_##FORM(a), KILN_VECTOR(x), CNumber<T> beta, \
                         KILN_VECTOR(y), KILN_QUEUE) {                                      \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(triangle), n, from_c(alpha),         \
                                KILN_PUT_##FORM(a), KILN_PUT_VECTOR(x), from_c(beta),       \
                                KILN_PUT_VECTOR(y), KILN_PUT_QUEUE));                       \
  }
KILN_COMPLEX(KILN_MIRRORED, hemv, Hemv, MATRIX)
KILN_COMPLEX(KILN_MIRRORED, hpmv, Hpmv, BLOCK)
KILN_REAL_AND_HALF(KILN_MIRRORED, symv, Symv, MATRIX)
KILN_REAL_AND_HALF(KILN_MIRRORED, spmv, Spmv, BLOCK)

#define KILN_MIRRORED_BAND(name, Cpp, T)                                                     \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, size_t k, \
                         CNumber<T> alpha, KILN_MATRIX(a), KILN_VECTOR(x), CNumber<T> beta,  \
                         KILN_VECTOR(y), KILN_QUEUE) {                                       \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(triangle), n, k, from_c(alpha),       \
                                KILN_PUT_MATRIX(a), KILN_PUT_VECTOR(x), from_c(beta),        \
                                KILN_PUT_VECTOR(y), KILN_PUT_QUEUE));                        \
  }
KILN_COMPLEX(KILN_MIRRORED_BAND, hbmv, Hbmv)
KILN_REAL_AND_HALF(KILN_MIRRORED_BAND, sbmv, Sbmv)

#define KILN_TRIANGULAR(name, Cpp, T, FORM)                                                     \
  CLBlastStatusCode name(KILN_TRIANGLE, size_t n, KILN_##FORM(a), KILN_VECTOR(x), KILN_QUEUE) { \
    return to_c(clblast::Cpp<T>(KILN_PUT_TRIANGLE, n, KILN_PUT_##FORM(a), KILN_PUT_VECTOR(x),   \
                                KILN_PUT_QUEUE));                                               \
  }
KILN_ALL(KILN_TRIANGULAR, trmv, Trmv, MATRIX)
KILN_ALL(KILN_TRIANGULAR, tpmv, Tpmv, BLOCK)
KILN_FULL(KILN_TRIANGULAR, trsv, Trsv, MATRIX)
KILN_FULL(KILN_TRIANGULAR, tpsv, Tpsv, BLOCK)

#define KILN_TRIANGULAR_BAND(name, Cpp, T)                                                       \
  CLBlastStatusCode name(KILN_TRIANGLE, size_t n, size_t k, KILN_MATRIX(a), KILN_VECTOR(x),      \
                         KILN_QUEUE) {                                                           \
    return to_c(clblast::Cpp<T>(KILN_PUT_TRIANGLE, n, k, KILN_PUT_MATRIX(a), KILN_PUT_VECTOR(x), \
                                KILN_PUT_QUEUE));                                                \
  }
KILN_ALL(KILN_TRIANGULAR_BAND, tbmv, Tbmv)
KILN_FULL(KILN_TRIANGULAR_BAND, tbsv, Tbsv)

#define KILN_UPDATE(name, Cpp, T)                                                         \
  CLBlastStatusCode name(CLBlastLayout layout, size_t m, size_t n, CNumber<T> alpha,      \
                         KILN_VECTOR(x), KILN_VECTOR(y), KILN_MATRIX(a), KILN_QUEUE) {    \
    return to_c(clblast::Cpp<T>(from_c(layout), m, n, from_c(alpha), KILN_PUT_VECTOR(x),  \
                                KILN_PUT_VECTOR(y), KILN_PUT_MATRIX(a), KILN_PUT_QUEUE)); \
  }
KILN_REAL_AND_HALF(KILN_UPDATE, ger, Ger)
KILN_COMPLEX(KILN_UPDATE, geru, Geru)
KILN_COMPLEX(KILN_UPDATE, gerc, Gerc)

#define KILN_RANK_1(name, Cpp, T, FORM)                                                   \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,        \
                         CNumber<T> alpha, KILN_VECTOR(x), KILN_##FORM(a), KILN_QUEUE) {  \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(triangle), n, from_c(alpha),       \
                                KILN_PUT_VECTOR(x), KILN_PUT_##FORM(a), KILN_PUT_QUEUE)); \
  }
KILN_REAL_AND_HALF(KILN_RANK_1, syr, Syr, MATRIX)
KILN_REAL_AND_HALF(KILN_RANK_1, spr, Spr, BLOCK)
// Those of Hermitian matrices are named after alpha's type in C++, after A's in C.
KILN_RANK_1(CLBlastCher, Her, float, MATRIX)
KILN_RANK_1(CLBlastZher, Her, double, MATRIX)
KILN_RANK_1(CLBlastChpr, Hpr, float, BLOCK)
KILN_RANK_1(CLBlastZhpr, Hpr, double, BLOCK)

#define KILN_RANK_2(name, Cpp, T, FORM)                                                     \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,          \
                         CNumber<T> alpha, KILN_VECTOR(x), KILN_VECTOR(y), KILN_##FORM(a),  \
                         KILN_QUEUE) {                                                      \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(triangle), n, from_c(alpha),         \
                                KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y), KILN_PUT_##FORM(a), \
                                KILN_PUT_QUEUE));                                           \
  }
KILN_REAL_AND_HALF(KILN_RANK_2, syr2, Syr2, MATRIX)
KILN_REAL_AND_HALF(KILN_RANK_2, spr2, Spr2, BLOCK)
KILN_COMPLEX(KILN_RANK_2, her2, Her2, MATRIX)
KILN_COMPLEX(KILN_RANK_2, hpr2, Hpr2, BLOCK)
