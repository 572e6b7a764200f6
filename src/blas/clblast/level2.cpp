#include "blas/clblast/calls.hpp"

// CLBlast's routines of level 2.
namespace clblast {

using namespace kiln::clblast;

// ---- y := alpha op(A) x + beta y

template <typename T>
StatusCode Gemv(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha, KILN_MATRIX(a),
                KILN_VECTOR(x), T beta, KILN_VECTOR(y), KILN_QUEUE) {
  const MatrixArgument a = KILN_THE_MATRIX(a);
  const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);
  const bool as_is = a_transpose == Transpose::kNo;
  const size_t of_x = as_is ? n : m, of_y = as_is ? m : n;
  Checks checks(sizeof(T), queue);
  checks.options(layout, a_transpose).sizes({m, n}).matrix(Name::a, layout, m, n, a);
  checks.vector(Name::x, of_x, x).vector(Name::y, of_y, y);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::gemv<Computed<T>>(from(layout), from(a_transpose), m, n, number(alpha),
                                         operand<T>(a), operand<T>(x, of_x), number(beta),
                                         operand<T>(y, of_y));
  });
}
KILN_ALL(Gemv)

template <typename T>
StatusCode Gbmv(Layout layout, Transpose a_transpose, size_t m, size_t n, size_t kl, size_t ku,
                T alpha, KILN_MATRIX(a), KILN_VECTOR(x), T beta, KILN_VECTOR(y), KILN_QUEUE) {
  const MatrixArgument a = KILN_THE_MATRIX(a);
  const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);
  const bool as_is = a_transpose == Transpose::kNo;
  const size_t of_x = as_is ? n : m, of_y = as_is ? m : n;
  Checks checks(sizeof(T), queue);
  checks.options(layout, a_transpose).sizes({m, n});
  checks.matrix(Name::a, band_lines(kl, ku), layout == Layout::kRowMajor ? m : n, a);
  checks.vector(Name::x, of_x, x).vector(Name::y, of_y, y);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::gbmv<Computed<T>>(from(layout), from(a_transpose), m, n, kl, ku,
                                         number(alpha), operand<T>(a), operand<T>(x, of_x),
                                         number(beta), operand<T>(y, of_y));
  });
}
KILN_ALL(Gbmv)

// ---- y := alpha A x + beta y with A given by a triangle. FORM: MATRIX, or BLOCK (packed)

#define KILN_MIRRORED(Name_, routine, FORM)                                                   \
  template <typename T>                                                                       \
  StatusCode Name_(Layout layout, Triangle triangle, size_t n, T alpha, KILN_##FORM(a),       \
                   KILN_VECTOR(x), T beta, KILN_VECTOR(y), KILN_QUEUE) {                      \
    const auto a = KILN_THE_##FORM(a);                                                        \
    const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);                      \
    Checks checks(sizeof(T), queue);                                                          \
    checks.options(layout, triangle).sizes({n}).triangle(Name::a, n, a);                      \
    checks.vector(Name::x, n, x).vector(Name::y, n, y);                                       \
    return made_if(checks, queue, event, [&] {                                                \
      return kiln::blas::routine<Computed<T>>(from(layout), from(triangle), n, number(alpha), \
                                              operand<T>(a), operand<T>(x, n), number(beta),  \
                                              operand<T>(y, n));                              \
    });                                                                                       \
  }
KILN_MIRRORED(Hemv, hemv, MATRIX)
KILN_COMPLEX(Hemv)
KILN_MIRRORED(Symv, symv, MATRIX)
KILN_REAL(Symv)
KILN_HALF(Symv)
KILN_MIRRORED(Hpmv, hpmv, BLOCK)
KILN_COMPLEX(Hpmv)
KILN_MIRRORED(Spmv, spmv, BLOCK)
KILN_REAL(Spmv)
KILN_HALF(Spmv)

#define KILN_MIRRORED_BAND(Name_, routine)                                                        \
  template <typename T>                                                                           \
  StatusCode Name_(Layout layout, Triangle triangle, size_t n, size_t k, T alpha, KILN_MATRIX(a), \
                   KILN_VECTOR(x), T beta, KILN_VECTOR(y), KILN_QUEUE) {                          \
    const MatrixArgument a = KILN_THE_MATRIX(a);                                                  \
    const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);                          \
    Checks checks(sizeof(T), queue);                                                              \
    checks.options(layout, triangle).sizes({n}).matrix(Name::a, band_lines(k, 0), n, a);          \
    checks.vector(Name::x, n, x).vector(Name::y, n, y);                                           \
    return made_if(checks, queue, event, [&] {                                                    \
      return kiln::blas::routine<Computed<T>>(from(layout), from(triangle), n, k, number(alpha),  \
                                              operand<T>(a), operand<T>(x, n), number(beta),      \
                                              operand<T>(y, n));                                  \
    });                                                                                           \
  }
KILN_MIRRORED_BAND(Hbmv, hbmv)
KILN_COMPLEX(Hbmv)
KILN_MIRRORED_BAND(Sbmv, sbmv)
KILN_REAL(Sbmv)
KILN_HALF(Sbmv)

// ---- Triangular A: x := op(A) x, and solutions

#define KILN_TRIANGULAR(Name_, routine, FORM)                                                      \
  template <typename T>                                                                            \
  StatusCode Name_(Layout layout, Triangle triangle, Transpose a_transpose, Diagonal diagonal,     \
                   size_t n, KILN_##FORM(a), KILN_VECTOR(x), KILN_QUEUE) {                         \
    const auto a = KILN_THE_##FORM(a);                                                             \
    const VectorArgument x = KILN_THE_VECTOR(x);                                                   \
    Checks checks(sizeof(T), queue);                                                               \
    checks.options(layout, triangle, a_transpose, diagonal).sizes({n}).triangle(Name::a, n, a);    \
    checks.vector(Name::x, n, x);                                                                  \
    return made_if(checks, queue, event, [&] {                                                     \
      return kiln::blas::routine<Computed<T>>(from(layout), from(triangle), from(a_transpose),     \
                                              from(diagonal), n, operand<T>(a), operand<T>(x, n)); \
    });                                                                                            \
  }
KILN_TRIANGULAR(Trmv, trmv, MATRIX)
KILN_ALL(Trmv)
KILN_TRIANGULAR(Trsv, trsv, MATRIX)
KILN_FULL(Trsv)
KILN_TRIANGULAR(Tpmv, tpmv, BLOCK)
KILN_ALL(Tpmv)
KILN_TRIANGULAR(Tpsv, tpsv, BLOCK)
KILN_FULL(Tpsv)

#define KILN_TRIANGULAR_BAND(Name_, routine)                                                   \
  template <typename T>                                                                        \
  StatusCode Name_(Layout layout, Triangle triangle, Transpose a_transpose, Diagonal diagonal, \
                   size_t n, size_t k, KILN_MATRIX(a), KILN_VECTOR(x), KILN_QUEUE) {           \
    const MatrixArgument a = KILN_THE_MATRIX(a);                                               \
    const VectorArgument x = KILN_THE_VECTOR(x);                                               \
    Checks checks(sizeof(T), queue);                                                           \
    checks.options(layout, triangle, a_transpose, diagonal).sizes({n});                        \
    checks.matrix(Name::a, band_lines(k, 0), n, a).vector(Name::x, n, x);                      \
    return made_if(checks, queue, event, [&] {                                                 \
      return kiln::blas::routine<Computed<T>>(from(layout), from(triangle), from(a_transpose), \
                                              from(diagonal), n, k, operand<T>(a),             \
                                              operand<T>(x, n));                               \
    });                                                                                        \
  }
KILN_TRIANGULAR_BAND(Tbmv, tbmv)
KILN_ALL(Tbmv)
KILN_TRIANGULAR_BAND(Tbsv, tbsv)
KILN_FULL(Tbsv)

// ---- Updates of A: m x n

#define KILN_UPDATE(Name_, routine)                                                                \
  template <typename T>                                                                            \
  StatusCode Name_(Layout layout, size_t m, size_t n, T alpha, KILN_VECTOR(x), KILN_VECTOR(y),     \
                   KILN_MATRIX(a), KILN_QUEUE) {                                                   \
    const MatrixArgument a = KILN_THE_MATRIX(a);                                                   \
    const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);                           \
    Checks checks(sizeof(T), queue);                                                               \
    checks.options(layout).sizes({m, n}).matrix(Name::a, layout, m, n, a);                         \
    checks.vector(Name::x, m, x).vector(Name::y, n, y);                                            \
    return made_if(checks, queue, event, [&] {                                                     \
      return kiln::blas::routine<Computed<T>>(from(layout), m, n, number(alpha), operand<T>(x, m), \
                                              operand<T>(y, n), operand<T>(a));                    \
    });                                                                                            \
  }
KILN_UPDATE(Ger, ger)
KILN_REAL(Ger)
KILN_HALF(Ger)
KILN_UPDATE(Geru, ger)
KILN_COMPLEX(Geru)
KILN_UPDATE(Gerc, gerc)
KILN_COMPLEX(Gerc)

// Of a triangle of A. E is the type of its elements: not that of alpha where A is Hermitian.
#define KILN_RANK_1(Name_, routine, E, FORM)                                                     \
  template <typename T>                                                                          \
  StatusCode Name_(Layout layout, Triangle triangle, size_t n, T alpha, KILN_VECTOR(x),          \
                   KILN_##FORM(a), KILN_QUEUE) {                                                 \
    const auto a = KILN_THE_##FORM(a);                                                           \
    const VectorArgument x = KILN_THE_VECTOR(x);                                                 \
    Checks checks(sizeof(E<T>), queue);                                                          \
    checks.options(layout, triangle).sizes({n}).triangle(Name::a, n, a).vector(Name::x, n, x);   \
    return made_if(checks, queue, event, [&] {                                                   \
      return kiln::blas::routine<Computed<E<T>>>(from(layout), from(triangle), n, number(alpha), \
                                                 operand<E<T>>(x, n), operand<E<T>>(a));         \
    });                                                                                          \
  }
KILN_RANK_1(Her, her, ComplexOf, MATRIX)
KILN_REAL(Her)
KILN_RANK_1(Hpr, hpr, ComplexOf, BLOCK)
KILN_REAL(Hpr)
KILN_RANK_1(Syr, syr, std::type_identity_t, MATRIX)
KILN_REAL(Syr)
KILN_HALF(Syr)
KILN_RANK_1(Spr, spr, std::type_identity_t, BLOCK)
KILN_REAL(Spr)
KILN_HALF(Spr)

#define KILN_RANK_2(Name_, routine, FORM)                                                         \
  template <typename T>                                                                           \
  StatusCode Name_(Layout layout, Triangle triangle, size_t n, T alpha, KILN_VECTOR(x),           \
                   KILN_VECTOR(y), KILN_##FORM(a), KILN_QUEUE) {                                  \
    const auto a = KILN_THE_##FORM(a);                                                            \
    const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);                          \
    Checks checks(sizeof(T), queue);                                                              \
    checks.options(layout, triangle).sizes({n}).triangle(Name::a, n, a);                          \
    checks.vector(Name::x, n, x).vector(Name::y, n, y);                                           \
    return made_if(checks, queue, event, [&] {                                                    \
      return kiln::blas::routine<Computed<T>>(from(layout), from(triangle), n, number(alpha),     \
                                              operand<T>(x, n), operand<T>(y, n), operand<T>(a)); \
    });                                                                                           \
  }
KILN_RANK_2(Her2, her2, MATRIX)
KILN_COMPLEX(Her2)
KILN_RANK_2(Hpr2, hpr2, BLOCK)
KILN_COMPLEX(Hpr2)
KILN_RANK_2(Syr2, syr2, MATRIX)
KILN_REAL(Syr2)
KILN_HALF(Syr2)
KILN_RANK_2(Spr2, spr2, BLOCK)
KILN_REAL(Spr2)
KILN_HALF(Spr2)

}  // namespace clblast
