#include "blas/clblast/calls.hpp"

// CLBlast's routines of level 3.
namespace clblast {

using namespace kiln::clblast;

template <typename T>
StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n,
                size_t k, T alpha, KILN_MATRIX(a), KILN_MATRIX(b), T beta, KILN_MATRIX(c),
                KILN_QUEUE, cl_mem /*temp_buffer*/) {
  const MatrixArgument a = KILN_THE_MATRIX(a), b = KILN_THE_MATRIX(b), c = KILN_THE_MATRIX(c);
  Checks checks(sizeof(T), queue);
  checks.options(layout, a_transpose, b_transpose).sizes({m, n, k});
  checks.matrix(Name::a, layout, a_transpose, m, k, a);
  checks.matrix(Name::b, layout, b_transpose, k, n, b).matrix(Name::c, layout, m, n, c);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::gemm<Computed<T>>(from(layout), from(a_transpose), from(b_transpose), m, n,
                                         k, number(alpha), operand<T>(a), operand<T>(b),
                                         number(beta), operand<T>(c));
  });
}
KILN_ALL(Gemm)

template <typename T>
StatusCode GemmTempBufferSize(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t,
                              size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t,
                              cl_command_queue* queue, size_t& temp_buffer_size) {
  // Workspace is the solution sequence's own, and kept with it.
  Checks checks(sizeof(T), queue);
  checks.options(layout, a_transpose, b_transpose);
  if (!checks.failed()) temp_buffer_size = 0;
  return checks.status();
}
KILN_ALL(GemmTempBufferSize)

#define KILN_SYMM(Name_, routine)                                                                \
  template <typename T>                                                                          \
  StatusCode Name_(Layout layout, Side side, Triangle triangle, size_t m, size_t n, T alpha,     \
                   KILN_MATRIX(a), KILN_MATRIX(b), T beta, KILN_MATRIX(c), KILN_QUEUE) {         \
    const MatrixArgument a = KILN_THE_MATRIX(a), b = KILN_THE_MATRIX(b), c = KILN_THE_MATRIX(c); \
    const size_t square = side == Side::kLeft ? m : n;                                           \
    Checks checks(sizeof(T), queue);                                                             \
    checks.options(layout, side, triangle).sizes({m, n}).matrix(Name::a, square, square, a);     \
    checks.matrix(Name::b, layout, m, n, b).matrix(Name::c, layout, m, n, c);                    \
    return made_if(checks, queue, event, [&] {                                                   \
      return kiln::blas::routine<Computed<T>>(from(layout), from(side), from(triangle), m, n,    \
                                              number(alpha), operand<T>(a), operand<T>(b),       \
                                              number(beta), operand<T>(c));                      \
    });                                                                                          \
  }
KILN_SYMM(Symm, symm)
KILN_ALL(Symm)
KILN_SYMM(Hemm, hemm)
KILN_COMPLEX(Hemm)

/// How op(A) is meant where the second factor is its transpose: CLBlast takes either kind of
/// transposition for the one that a symmetric, or a Hermitian result has.
template <class Element>
kiln::blas::Transpose rank_k_transpose(Transpose trans, bool hermitian) {
  if (trans == Transpose::kNo) return kiln::blas::Transpose::none;
  return hermitian ? kiln::blas::Transpose::conjugate : kiln::blas::Transpose::transpose;
}

// E is the type of the elements: not that of alpha and beta where C is Hermitian.
#define KILN_RANK_K(Name_, routine, E, hermitian)                                               \
  template <typename T>                                                                         \
  StatusCode Name_(Layout layout, Triangle triangle, Transpose a_transpose, size_t n, size_t k, \
                   T alpha, KILN_MATRIX(a), T beta, KILN_MATRIX(c), KILN_QUEUE) {               \
    const MatrixArgument a = KILN_THE_MATRIX(a), c = KILN_THE_MATRIX(c);                        \
    Checks checks(sizeof(E<T>), queue);                                                         \
    checks.options(layout, triangle, a_transpose).sizes({n, k});                                \
    checks.matrix(Name::a, layout, a_transpose, n, k, a).matrix(Name::c, n, n, c);              \
    return made_if(checks, queue, event, [&] {                                                  \
      return kiln::blas::routine<Computed<E<T>>>(                                               \
          from(layout), from(triangle), rank_k_transpose<E<T>>(a_transpose, hermitian), n, k,   \
          number(alpha), operand<E<T>>(a), number(beta), operand<E<T>>(c));                     \
    });                                                                                         \
  }
KILN_RANK_K(Syrk, syrk, std::type_identity_t, false)
KILN_ALL(Syrk)
KILN_RANK_K(Herk, herk, ComplexOf, true)
KILN_REAL(Herk)

/// Syr2k and Her2k, in which beta is of another type.
template <class T, class U, class Describe>
StatusCode rank_2k(Layout layout, Triangle triangle, Transpose trans, size_t n, size_t k,
                   const MatrixArgument& a, const MatrixArgument& b, const MatrixArgument& c,
                   KILN_QUEUE, const Describe& describe) {
  Checks checks(sizeof(T), queue);
  checks.options(layout, triangle, trans).sizes({n, k});
  checks.matrix(Name::a, layout, trans, n, k, a).matrix(Name::b, layout, trans, n, k, b);
  checks.matrix(Name::c, n, n, c);
  return made_if(checks, queue, event, describe);
}

template <typename T>
StatusCode Syr2k(Layout layout, Triangle triangle, Transpose ab_transpose, size_t n, size_t k,
                 T alpha, KILN_MATRIX(a), KILN_MATRIX(b), T beta, KILN_MATRIX(c), KILN_QUEUE) {
  const MatrixArgument a = KILN_THE_MATRIX(a), b = KILN_THE_MATRIX(b), c = KILN_THE_MATRIX(c);
  return rank_2k<T, T>(layout, triangle, ab_transpose, n, k, a, b, c, queue, event, [&] {
    return kiln::blas::syr2k<Computed<T>>(
        from(layout), from(triangle), rank_k_transpose<T>(ab_transpose, false), n, k, number(alpha),
        operand<T>(a), operand<T>(b), number(beta), operand<T>(c));
  });
}
KILN_ALL(Syr2k)

template <typename T, typename U>
StatusCode Her2k(Layout layout, Triangle triangle, Transpose ab_transpose, size_t n, size_t k,
                 T alpha, KILN_MATRIX(a), KILN_MATRIX(b), U beta, KILN_MATRIX(c), KILN_QUEUE) {
  const MatrixArgument a = KILN_THE_MATRIX(a), b = KILN_THE_MATRIX(b), c = KILN_THE_MATRIX(c);
  return rank_2k<T, U>(layout, triangle, ab_transpose, n, k, a, b, c, queue, event, [&] {
    return kiln::blas::her2k<T>(from(layout), from(triangle),
                                rank_k_transpose<T>(ab_transpose, true), n, k, alpha, operand<T>(a),
                                operand<T>(b), beta, operand<T>(c));
  });
}
KILN_INSTANCE(Her2k, std::complex<float>, float)
KILN_INSTANCE(Her2k, std::complex<double>, double)

#define KILN_SIDED(Name_, routine)                                                                 \
  template <typename T>                                                                            \
  StatusCode Name_(Layout layout, Side side, Triangle triangle, Transpose a_transpose,             \
                   Diagonal diagonal, size_t m, size_t n, T alpha, KILN_MATRIX(a), KILN_MATRIX(b), \
                   KILN_QUEUE) {                                                                   \
    const MatrixArgument a = KILN_THE_MATRIX(a), b = KILN_THE_MATRIX(b);                           \
    const size_t square = side == Side::kLeft ? m : n;                                             \
    Checks checks(sizeof(T), queue);                                                               \
    checks.options(layout, side, triangle, a_transpose, diagonal).sizes({m, n});                   \
    checks.matrix(Name::a, square, square, a).matrix(Name::b, layout, m, n, b);                    \
    return made_if(checks, queue, event, [&] {                                                     \
      return kiln::blas::routine<Computed<T>>(from(layout), from(side), from(triangle),            \
                                              from(a_transpose), from(diagonal), m, n,             \
                                              number(alpha), operand<T>(a), operand<T>(b));        \
    });                                                                                            \
  }
KILN_SIDED(Trmm, trmm)
KILN_ALL(Trmm)
KILN_SIDED(Trsm, trsm)
KILN_FULL(Trsm)

}  // namespace clblast
