// What becomes of the sums of matrix_units.cl before they are stored, beyond alpha and beta (epilogue.cl).
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== matrix_unit_epilogue =====
// A consumer copies what a tile's rows have of a bias and of a scale into local memory, as floats,
// before it begins with the tile; what a work-item's two columns have is in registers. Nothing is read
// where the result's rows or columns have ended.
//   FINISH_LOAD(to, first, rows, t)   declares a lane's pairs of 32 rows of the residual
//   FINISH(sums, i, residual)         makes results of two sums, in the rows i and i + 1 of a tile; `factor`
//                                     is alpha where they have not been multiplied by it, else 1
#if !SPECIAL
#define AFTER_KERNEL_PARAMETERS
#define AFTER_ITEM_PARAMETERS
#define FINISH_PARAMETERS
#define FINISH_LOAD(to, first, rows, t)
#define FINISH(sums, i, residual)
#else
#define AFTER_ITEM_PARAMETERS \
  , long bias_item_step, long scale_item_step, long residual_item_step
#define FINISH_PARAMETERS , float factor, const Finish* finish
#define FINISH_LOAD(to, first, rows, t) \
  float2 to[4];                         \
  load_residual(to, finish, first, rows, t);
#define FINISH(sums, i, residual) sums = finished_pair(sums, factor, finish, i, residual);

#define AFTER_OF_ITEM(item) \
  after_of_item(after, item, bias_item_step, scale_item_step, residual_item_step)
INLINE After after_of_item(After after, long item, long bias_step, long scale_step,
                           long residual_step) {
  after.bias_first += item * bias_step;
  after.scale_first += item * scale_step;
  after.residual_first += item * residual_step;
  return after;
}

// GELU wants the half of its argument: so what makes the argument is halved before.
#if ACTIVATION == 2
#define OF_ARGUMENT 0.5f
#else
#define OF_ARGUMENT 1
#endif

// What a tile's rows have, as far as they exist.
typedef struct {
  float __attribute__((aligned(16))) bias[ROWS];
  float __attribute__((aligned(16))) scale[ROWS];
} RowVectors;
// By the 128 work-items of a consumer, which is group 1 or 2. Returns where they are.
INLINE local const RowVectors* load_rows(local RowVectors* to, const After* after, long i0, long rows, int thread,
                      int group) {
#pragma unroll
  for (int i = thread; i < ROWS; i += 128) {
    const bool is_there = i0 + i < rows;
#if BIAS == 1
    to->bias[i] =
        is_there ? OF_ARGUMENT *
                       GET(BIAS_KIND, after->bias, after->bias_first + (i0 + i) * after->bias_step)
                 : 0;
#endif
#if SCALE == 1
    to->scale[i] =
        is_there ? OF_ARGUMENT * GET(SCALE_KIND, after->scale,
                                     after->scale_first + (i0 + i) * after->scale_step)
                 : 0;
#endif
  }
#if BIAS == 1 || SCALE == 1
  asm volatile(PTX("bar.sync %0, 128;")::"r"(group + 1) : "memory");
#endif
  return to;
}

// What a work-item needs for a column of a tile.
typedef struct {
  local const RowVectors* of_rows;
  float bias, scale;  // of the column
  global const ELEMENT(RESIDUAL_KIND)* residual;
  long residual_at;  // of the column's first element in the tile; the next row's is the next one
  bool wide;         // whether the residual lies well for wide accesses
} Finish;
// Column j, if it exists, from row i0 on.
INLINE Finish finish_of(const After* after, local const RowVectors* of_rows, long i0, long j,
                        long columns) {
  Finish finish = {of_rows, 0, 0, after->residual, 0, false};
#if BIAS == 2
  if (j < columns)
    finish.bias =
        OF_ARGUMENT * GET(BIAS_KIND, after->bias, after->bias_first + j * after->bias_step);
#endif
#if SCALE == 2
  if (j < columns)
    finish.scale =
        OF_ARGUMENT * GET(SCALE_KIND, after->scale, after->scale_first + j * after->scale_step);
#endif
#if RESIDUAL
  finish.residual_at = after->residual_first + i0 + j * after->residual_ld;
  // The same for all lanes, as for C.
  finish.wide = after->residual_ld % (WIDE_BYTES / (int)sizeof(ELEMENT(RESIDUAL_KIND))) == 0 &&
                ((ulong)(after->residual + finish.residual_at) & (WIDE_BYTES - 1)) == 0;
#endif
  return finish;
}

// The residual in row i and the next one of the tile, zeros where they do not exist.
INLINE float2 residual_pair(const Finish* finish, int i, long rows) {
  float2 pair = 0;
#if RESIDUAL
#if RESIDUAL_KIND == 0
  if (finish->wide && i + 2 <= rows)
    return *(global const float2*)(finish->residual + finish->residual_at + i);
#endif
  if (i < rows) pair.x = GET(RESIDUAL_KIND, finish->residual, finish->residual_at + i);
  if (i + 1 < rows) pair.y = GET(RESIDUAL_KIND, finish->residual, finish->residual_at + i + 1);
#endif
  return pair;
}
#if RESULT == 1 || RESULT == 2
INLINE void load_residual(float2 to[4], const Finish* finish, int first, long rows, int t) {
#if RESIDUAL && (RESIDUAL_KIND == 1 || RESIDUAL_KIND == 2)
  if (finish->wide) {
    uint w[4];
    load_pairs(w, finish->residual + finish->residual_at, first, rows, true, t);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = (float2)(float_of(w[i] & 0xffff, RESIDUAL_KIND), float_of(w[i] >> 16, RESIDUAL_KIND));
    return;
  }
#endif
#pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = residual_pair(finish, first + i * 8 + t * 2, rows);
}
#endif

INLINE float power_of_2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
// In few instructions: while these run, the matrix units wait.
#if ACTIVATION == 1
INLINE float active(float x) { return activated(x); }
#elif ACTIVATION == 2
// GELU is max(x, 0) - |x| Q(|x|), where Q, the upper tail of the normal distribution, is 2 to the
// power of a polynomial, fitted to its logarithm over [0, 5.75]; it falls as far as 8, where Q is below
// 2^-50. From x / 2 it takes two operations fewer: max(x, 0) is x / 2 + |x / 2|, and the polynomial of
// |x| / 2 has the same coefficients times powers of 2, for 2 Q. With what ex2.approx is off by, 2 units
// of 2^-24 at most, |x| Q(|x|) is right to within 2^-23.5, and 2^-22.3 of |x| (at 9,000 points, by
// floats of the host). For results of 16 bits: to within 2^-20.9, and 2^-16.5 of itself where it is 2^-14
// (a half's smallest normal number) or more: half an ulp of a half is 2^-12 of it or more, of a bfloat16
// 2^-9.
INLINE float active(float half_of_x) {
  const float a = fmin(fabs(half_of_x), 4.0f);
#if RESULT == 1 || RESULT == 2
  float p = 0.0021747471764683723f;
  p = fma(p, a, -0.02455996349453926f);
  p = fma(p, a, 0.12849251925945282f);
  p = fma(p, a, -0.4259241819381714f);
  p = fma(p, a, -1.8359551429748535f);
  p = fma(p, a, -2.302201271057129f);
  p = fma(p, a, -4.172325134277344e-06f);
#else
  float p = -3.2387895771535113e-05f;
  p = fma(p, a, 0.00045796623453497887f);
  p = fma(p, a, -0.0028170456644147635f);
  p = fma(p, a, 0.009583941660821438f);
  p = fma(p, a, -0.017197558656334877f);
  p = fma(p, a, -0.001049584592692554f);
  p = fma(p, a, 0.11196508258581161f);
  p = fma(p, a, -0.41985762119293213f);
  p = fma(p, a, -1.8368215560913086f);
  p = fma(p, a, -2.302212715148926f);
  p = fma(p, a, 5.960464477539063e-08f);
#endif
  // Of -infinity the sum is NaN, as by the formula.
  return fma(-a, power_of_2(p), half_of_x + fabs(half_of_x));
}
#elif ACTIVATION == 3
// To within |x| + 6 units of 2^-24 of itself: that much the product in the exponent is rounded.
INLINE float active(float x) {
  float part;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(part) : "f"(1 + power_of_2(x * -1.4426950408889634f)));
  return x * part;
}
#else
INLINE float active(float x) { return x; }
#endif

INLINE float finished_by(float value, float factor, float scale, float bias, float residual) {
#if SCALE && BIAS
  value = fma(factor * value, scale, bias);
#elif SCALE
  value = factor * value * scale;
#elif BIAS
  value = fma(factor * OF_ARGUMENT, value, bias);
#else
  value *= factor * OF_ARGUMENT;
#endif
  value = active(value);
#if RESIDUAL
  value += residual;
#endif
  return value;
}
INLINE float2 finished_pair(float2 sums, float factor, const Finish* finish, int i,
                            float2 residual) {
  float2 scale = finish->scale, bias = finish->bias;
#if SCALE == 1
  scale = *(local const float2*)(finish->of_rows->scale + i);
#endif
#if BIAS == 1
  bias = *(local const float2*)(finish->of_rows->bias + i);
#endif
  return (float2)(finished_by(sums.x, factor, scale.x, bias.x, residual.x),
                  finished_by(sums.y, factor, scale.y, bias.y, residual.y));
}
#endif
