#include "blas/clblast/calls.hpp"

// CLBlast's routines of level 1.
namespace clblast {

using namespace kiln::clblast;

// ---- Plane rotations, of which CLBlast has the declarations only

template <typename T>
StatusCode Rotg(KILN_BLOCK(sa), KILN_BLOCK(sb), KILN_BLOCK(sc), KILN_BLOCK(ss), KILN_QUEUE) {
  const BlockArgument a = KILN_THE_BLOCK(sa), b = KILN_THE_BLOCK(sb), c = KILN_THE_BLOCK(sc),
                      s = KILN_THE_BLOCK(ss);
  Checks checks(sizeof(T), queue);
  for (const auto& block : {a, b, c, s}) checks.results(1, sizeof(T), block);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::rotg<T>(operand<T>(a), operand<T>(b), operand<T>(c), operand<T>(s));
  });
}
KILN_REAL(Rotg)

template <typename T>
StatusCode Rotmg(KILN_BLOCK(sd1), KILN_BLOCK(sd2), KILN_BLOCK(sx1), KILN_BLOCK(sy1),
                 KILN_BLOCK(sparam), KILN_QUEUE) {
  const BlockArgument d1 = KILN_THE_BLOCK(sd1), d2 = KILN_THE_BLOCK(sd2), x1 = KILN_THE_BLOCK(sx1),
                      y1 = KILN_THE_BLOCK(sy1), param = KILN_THE_BLOCK(sparam);
  Checks checks(sizeof(T), queue);
  for (const auto& block : {d1, d2, x1, y1}) checks.results(1, sizeof(T), block);
  checks.results(5, sizeof(T), param);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::rotmg<T>(operand<T>(d1), operand<T>(d2), operand<T>(x1), operand<T>(y1),
                                operand<T>(param));
  });
}
KILN_REAL(Rotmg)

template <typename T>
StatusCode Rot(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), T cos, T sin, KILN_QUEUE) {
  const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);
  Checks checks(sizeof(T), queue);
  checks.sizes({n}).vector(Name::x, n, x).vector(Name::y, n, y);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::rot<T>(n, operand<T>(x, n), operand<T>(y, n), cos, sin);
  });
}
KILN_REAL(Rot)

template <typename T>
StatusCode Rotm(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_BLOCK(sparam), KILN_QUEUE) {
  const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);
  const BlockArgument param = KILN_THE_BLOCK(sparam);
  Checks checks(sizeof(T), queue);
  checks.sizes({n}).vector(Name::x, n, x).vector(Name::y, n, y).results(5, sizeof(T), param);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::rotm<T>(n, operand<T>(x, n), operand<T>(y, n), operand<T>(param));
  });
}
KILN_REAL(Rotm)

// ---- Vectors to vectors

#define KILN_TWO_VECTORS(Name_, routine)                                              \
  template <typename T>                                                               \
  StatusCode Name_(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUE) {            \
    const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);              \
    Checks checks(sizeof(T), queue);                                                  \
    checks.sizes({n}).vector(Name::x, n, x).vector(Name::y, n, y);                    \
    return made_if(checks, queue, event, [&] {                                        \
      return kiln::blas::routine<Computed<T>>(n, operand<T>(x, n), operand<T>(y, n)); \
    });                                                                               \
  }                                                                                   \
  KILN_ALL(Name_)
KILN_TWO_VECTORS(Swap, swap)
KILN_TWO_VECTORS(Copy, copy)

template <typename T>
StatusCode Scal(size_t n, T alpha, KILN_VECTOR(x), KILN_QUEUE) {
  const VectorArgument x = KILN_THE_VECTOR(x);
  Checks checks(sizeof(T), queue);
  checks.sizes({n}).vector(Name::x, n, x);
  return made_if(checks, queue, event,
                 [&] { return kiln::blas::scal<Computed<T>>(n, number(alpha), forward<T>(x, n)); });
}
KILN_ALL(Scal)

template <typename T>
StatusCode Axpy(size_t n, T alpha, KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUE) {
  const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);
  Checks checks(sizeof(T), queue);
  checks.sizes({n}).vector(Name::x, n, x).vector(Name::y, n, y);
  return made_if(checks, queue, event, [&] {
    return kiln::blas::axpy<Computed<T>>(n, number(alpha), operand<T>(x, n), operand<T>(y, n));
  });
}
KILN_ALL(Axpy)

// ---- Vectors to one number, in memory

#define KILN_DOT(Name_, routine)                                                            \
  template <typename T>                                                                     \
  StatusCode Name_(size_t n, KILN_BLOCK(dot), KILN_VECTOR(x), KILN_VECTOR(y), KILN_QUEUE) { \
    const VectorArgument x = KILN_THE_VECTOR(x), y = KILN_THE_VECTOR(y);                    \
    const BlockArgument result = KILN_THE_BLOCK(dot);                                       \
    Checks checks(sizeof(T), queue);                                                        \
    checks.sizes({n}).vector(Name::x, n, x).vector(Name::y, n, y);                          \
    checks.results(1, sizeof(T), result);                                                   \
    return made_if(checks, queue, event, [&] {                                              \
      return kiln::blas::routine<Computed<T>>(n, operand<T>(x, n), operand<T>(y, n),        \
                                              operand<T>(result));                          \
    });                                                                                     \
  }
KILN_DOT(Dot, dot)
KILN_REAL(Dot)
KILN_HALF(Dot)
KILN_DOT(Dotu, dot)
KILN_COMPLEX(Dotu)
KILN_DOT(Dotc, dotc)
KILN_COMPLEX(Dotc)

#define KILN_SUM(Name_, routine, result_of)                                               \
  template <typename T>                                                                   \
  StatusCode Name_(size_t n, KILN_BLOCK(sum), KILN_VECTOR(x), KILN_QUEUE) {               \
    const VectorArgument x = KILN_THE_VECTOR(x);                                          \
    const BlockArgument result = KILN_THE_BLOCK(sum);                                     \
    Checks checks(sizeof(T), queue);                                                      \
    checks.sizes({n}).vector(Name::x, n, x).results(1, sizeof(T), result);                \
    return made_if(checks, queue, event, [&] {                                            \
      return kiln::blas::routine<Computed<T>>(n, forward<T>(x, n), result_of<T>(result)); \
    });                                                                                   \
  }                                                                                       \
  KILN_ALL(Name_)
KILN_SUM(Nrm2, nrm2, real_result)
KILN_SUM(Asum, asum, real_result)
KILN_SUM(Sum, sum, operand)

// CLBlast counts elements from 0.
#define KILN_PLACE(Name_, routine)                                                               \
  template <typename T>                                                                          \
  StatusCode Name_(size_t n, KILN_BLOCK(place), KILN_VECTOR(x), KILN_QUEUE) {                    \
    const VectorArgument x = KILN_THE_VECTOR(x);                                                 \
    const BlockArgument result = KILN_THE_BLOCK(place);                                          \
    Checks checks(sizeof(T), queue);                                                             \
    checks.sizes({n}).vector(Name::x, n, x).results(1, sizeof(cl_uint), result);                 \
    if (!checks.failed() && x.step() < 0) return StatusCode::kInvalidIncrementX;                 \
    return made_if(checks, queue, event, [&] {                                                   \
      Call call =                                                                                \
          kiln::blas::routine<Computed<T>>(n, operand<T>(x, n), {result.memory, result.offset}); \
      call.first_index = 0;                                                                      \
      return call;                                                                               \
    });                                                                                          \
  }                                                                                              \
  KILN_ALL(Name_)
KILN_PLACE(Amax, iamax)
KILN_PLACE(Amin, iamin)
KILN_PLACE(Max, imax)
KILN_PLACE(Min, imin)

}  // namespace clblast
