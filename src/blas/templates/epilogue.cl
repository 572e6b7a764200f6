// What becomes of an element of a product before it is stored (kiln::blas::Epilogue):
//   activation(scale * value + bias) + residual
// BIAS and SCALE: 0 there is none, 1 one for each row of the result, 2 for each column. ACTIVATION: 0 none,
// 1 max(x, 0), 2 x / 2 (1 + erf(x / sqrt(2))), 3 x / (1 + exp(-x)). RESIDUAL: 1 or 0. Each has its kind of elements.
//
// A VALUE is one element, or where VECTOR_EPILOGUE is 1 LANES elements of a column.
#if SPECIAL
typedef struct {
  global const ELEMENT(BIAS_KIND)* bias;
  long bias_first, bias_step;
  global const ELEMENT(SCALE_KIND)* scale;
  long scale_first, scale_step;
  global const ELEMENT(RESIDUAL_KIND)* residual;
  long residual_first, residual_row, residual_ld;  // an element on in a column, in a row
} After;

#define AFTER_PARAMETERS , const After after
#define AFTER_ARGUMENTS , after
#define AFTER_KERNEL_PARAMETERS                                                                     \
  , global const ELEMENT(BIAS_KIND)*bias, long bias_first, long bias_step,                          \
      global const ELEMENT(SCALE_KIND)*scale, long scale_first, long scale_step,                    \
      global const ELEMENT(RESIDUAL_KIND)*residual, long residual_first, long residual_row,         \
      long residual_ld
#define AFTER_FROM_PARAMETERS                                                                       \
  const After after = {bias,        bias_first, bias_step,      scale,      scale_first,            \
                       scale_step,  residual,   residual_first, residual_row, residual_ld};

#if VECTOR_EPILOGUE
typedef VEC VALUE;
// Elements for rows [i, i + n) of column j of what has one for each row, or column.
#define TAKE_ALONG(way, kind, to, p, first, step, i, j, n)                        \
  if (way == 1) {                                                                 \
    TAKE(kind, to, p, (first) + (i) * (step), step, n)                            \
  } else {                                                                        \
    to = (VEC)(GET(kind, p, (first) + (j) * (step)));                             \
  }
#define TAKE_RESIDUAL(to, i, j, n) \
  TAKE(RESIDUAL_KIND, to, after.residual,                                                    \
       after.residual_first + (i)*after.residual_row + (j) * after.residual_ld, after.residual_row, n)
#else
typedef REAL VALUE;
#define TAKE_ALONG(way, kind, to, p, first, step, i, j, n) \
  to = GET(kind, p, (first) + (way == 1 ? (i) : (j)) * (step));
#define TAKE_RESIDUAL(to, i, j, n) \
  to = GET(RESIDUAL_KIND, after.residual,                                                    \
           after.residual_first + (i)*after.residual_row + (j) * after.residual_ld);
#endif

#if ACTIVATION == 2 && VECTOR_EPILOGUE && !DOUBLE
// The error function to within 2^-22, relative, without the branches of a driver's own, which goes lane by lane. From 4
// on it is 1 as a float; below, |x| times a quotient of polynomials in x^2, fitted by Remez's algorithm to a relative
// error of 2.5e-8. They have positive coefficients, so that rounding adds two or three units in the last place.
inline VALUE erf_of(VALUE x) {
  const VALUE a = fabs(x), s = x * x;
  VALUE p = (VALUE)(1.98677983722e-6f), q = (VALUE)(3.74202154618e-5f);
  p = fma(p, s, (VALUE)(2.84567180266e-4f));
  q = fma(q, s, (VALUE)(1.18558187953e-3f));
  p = fma(p, s, (VALUE)(3.88338560964e-3f));
  q = fma(q, s, (VALUE)(1.52073339486e-2f));
  p = fma(p, s, (VALUE)(5.31018748459e-2f));
  q = fma(q, s, (VALUE)(1.15350390193e-1f));
  p = fma(p, s, (VALUE)(1.93545992263e-1f));
  q = fma(q, s, (VALUE)(5.04858224951e-1f));
  p = fma(p, s, (VALUE)(1.12837913929f));
  q = fma(q, s, (VALUE)(1));
  const VALUE r = a * p / q;
  return copysign(((a < 4) & (r < 1)) ? r : (VALUE)(1), x);
}
#else
#define erf_of(x) erf(x)
#endif

// What is no number stays so.
inline VALUE activated(VALUE x) {
#if ACTIVATION == 1
  return x < 0 ? (VALUE)(0) : x;
#elif ACTIVATION == 2
  return x * (REAL)0.5 * (1 + erf_of(x * (REAL)0.70710678118654752440));
#elif ACTIVATION == 3
  return x / (1 + exp(-x));
#else
  return x;
#endif
}

inline VALUE finished(VALUE value, const After after, long i, long j, int n) {
  VALUE other;
#if SCALE
  TAKE_ALONG(SCALE, SCALE_KIND, other, after.scale, after.scale_first, after.scale_step, i, j, n)
  value *= other;
#endif
#if BIAS
  TAKE_ALONG(BIAS, BIAS_KIND, other, after.bias, after.bias_first, after.bias_step, i, j, n)
  value += other;
#endif
  value = activated(value);
#if RESIDUAL
  TAKE_RESIDUAL(other, i, j, n)
  value += other;
#endif
  return value;
}
#endif
