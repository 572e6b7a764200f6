#include "blas/clblast/c_interface.hpp"

// clblast_c.h's routines of level 3.

#define KILN_PRODUCT                                                                            \
  CLBlastLayout layout, CLBlastTranspose trans_a, CLBlastTranspose trans_b, size_t m, size_t n, \
      size_t k
#define KILN_PUT_PRODUCT from_c(layout), from_c(trans_a), from_c(trans_b), m, n, k

#define KILN_GEMM(name, Cpp, T)                                                          \
  CLBlastStatusCode name(KILN_PRODUCT, CNumber<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b), \
                         CNumber<T> beta, KILN_MATRIX(c), KILN_QUEUE) {                  \
    return to_c(clblast::Cpp<T>(KILN_PUT_PRODUCT, from_c(alpha), KILN_PUT_MATRIX(a),     \
                                KILN_PUT_MATRIX(b), from_c(beta), KILN_PUT_MATRIX(c),    \
                                KILN_PUT_QUEUE));                                        \
  }
KILN_ALL(KILN_GEMM, gemm, Gemm)

#define KILN_GEMM_WITH(name, Cpp, T)                                                        \
  CLBlastStatusCode name(KILN_PRODUCT, CNumber<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b),    \
                         CNumber<T> beta, KILN_MATRIX(c), KILN_QUEUE, cl_mem temp_buffer) { \
    return to_c(clblast::Cpp<T>(KILN_PUT_PRODUCT, from_c(alpha), KILN_PUT_MATRIX(a),        \
                                KILN_PUT_MATRIX(b), from_c(beta), KILN_PUT_MATRIX(c),       \
                                KILN_PUT_QUEUE, temp_buffer));                              \
  }
KILN_ALL(KILN_GEMM_WITH, gemmWithTempBuffer, Gemm)

#define KILN_SIZE(name, Cpp, T)                                                                    \
  CLBlastStatusCode name(KILN_PRODUCT, size_t a_offset, size_t a_ld, size_t b_offset, size_t b_ld, \
                         size_t c_offset, size_t c_ld, cl_command_queue* queue,                    \
                         size_t* temp_buffer_size) {                                               \
    return to_c(clblast::Cpp<T>(KILN_PUT_PRODUCT, a_offset, a_ld, b_offset, b_ld, c_offset, c_ld,  \
                                queue, *temp_buffer_size));                                        \
  }
KILN_ALL(KILN_SIZE, GemmTempBufferSize, GemmTempBufferSize)

#define KILN_SYMM(name, Cpp, T)                                                                \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,     \
                         size_t m, size_t n, CNumber<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b), \
                         CNumber<T> beta, KILN_MATRIX(c), KILN_QUEUE) {                        \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(side), from_c(triangle), m, n,          \
                                from_c(alpha), KILN_PUT_MATRIX(a), KILN_PUT_MATRIX(b),         \
                                from_c(beta), KILN_PUT_MATRIX(c), KILN_PUT_QUEUE));            \
  }
KILN_ALL(KILN_SYMM, symm, Symm)
KILN_COMPLEX(KILN_SYMM, hemm, Hemm)

#define KILN_RANK_K(name, Cpp, T)                                                                \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTriangle triangle, CLBlastTranspose trans, \
                         size_t n, size_t k, CNumber<T> alpha, KILN_MATRIX(a), CNumber<T> beta,  \
                         KILN_MATRIX(c), KILN_QUEUE) {                                           \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(triangle), from_c(trans), n, k,           \
                                from_c(alpha), KILN_PUT_MATRIX(a), from_c(beta),                 \
                                KILN_PUT_MATRIX(c), KILN_PUT_QUEUE));                            \
  }
KILN_ALL(KILN_RANK_K, syrk, Syrk)
// Named after the type of alpha and beta in C++, after the matrices' in C.
KILN_RANK_K(CLBlastCherk, Herk, float)
KILN_RANK_K(CLBlastZherk, Herk, double)

#define KILN_SYR2K(name, Cpp, T)                                                                 \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTriangle triangle, CLBlastTranspose trans, \
                         size_t n, size_t k, CNumber<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b),   \
                         CNumber<T> beta, KILN_MATRIX(c), KILN_QUEUE) {                          \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(triangle), from_c(trans), n, k,           \
                                from_c(alpha), KILN_PUT_MATRIX(a), KILN_PUT_MATRIX(b),           \
                                from_c(beta), KILN_PUT_MATRIX(c), KILN_PUT_QUEUE));              \
  }
KILN_ALL(KILN_SYR2K, syr2k, Syr2k)

#define KILN_HER2K(name, Cpp, T)                                                                  \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTriangle triangle, CLBlastTranspose trans,  \
                         size_t n, size_t k, CNumber<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b),    \
                         RealOf<T> beta, KILN_MATRIX(c), KILN_QUEUE) {                            \
    return to_c(clblast::Cpp<T, RealOf<T>>(from_c(layout), from_c(triangle), from_c(trans), n, k, \
                                           from_c(alpha), KILN_PUT_MATRIX(a), KILN_PUT_MATRIX(b), \
                                           beta, KILN_PUT_MATRIX(c), KILN_PUT_QUEUE));            \
  }
KILN_COMPLEX(KILN_HER2K, her2k, Her2k)

#define KILN_SIDED(name, Cpp, T)                                                               \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,     \
                         CLBlastTranspose trans, CLBlastDiagonal diagonal, size_t m, size_t n, \
                         CNumber<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b), KILN_QUEUE) {       \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(side), from_c(triangle), from_c(trans), \
                                from_c(diagonal), m, n, from_c(alpha), KILN_PUT_MATRIX(a),     \
                                KILN_PUT_MATRIX(b), KILN_PUT_QUEUE));                          \
  }
KILN_ALL(KILN_SIDED, trmm, Trmm)
KILN_FULL(KILN_SIDED, trsm, Trsm)
