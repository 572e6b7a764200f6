// The Euclidean norm without overflow or underflow (Blue 1978, A portable Fortran program to find
// the Euclidean norm of a vector): squares of large, medium and small numbers are summed apart, the
// large and the small ones scaled by powers of two. The borders lie so that 2^40 squares of either
// kind cannot leave the range. NaN where there is one, else infinity where there is one.
#if DOUBLE
#define LARGE 0x1p450
#define LARGE_SCALE 0x1p-600
#define SMALL 0x1p-450
#define SMALL_SCALE 0x1p600
#else
#define LARGE 0x1p40f
#define LARGE_SCALE 0x1p-84f
#define SMALL 0x1p-50f
#define SMALL_SCALE 0x1p88f
#endif
#define PART REALS(4)  // sums of squares: large, medium, small, and nothing
#define RESULT REAL
inline PART nothing(void) { return (PART)(0); }
inline PART join(PART a, PART b) { return a + b; }

inline RESULT outcome(PART sums) {
  const REAL large = sums.x, medium = sums.y, small = sums.z;
  // Beside large numbers small ones are nothing. NaN is a medium number, and stays one here.
  if (large > 0) return sqrt(fma(medium * LARGE_SCALE, LARGE_SCALE, large)) / LARGE_SCALE;
  if (medium == 0) return sqrt(small) / SMALL_SCALE;
  return sqrt(small / SMALL_SCALE / SMALL_SCALE + medium);
}

inline PART with_square(PART sums, REAL x) {
  const REAL size = fabs(x);
  const bool is_large = size > LARGE, is_small = size < SMALL;
  const REAL scaled_down = is_large ? x * LARGE_SCALE : 0, scaled_up = is_small ? x * SMALL_SCALE : 0;
  const REAL as_is = is_large || is_small ? 0 : x;
  return fma((PART)(scaled_down, as_is, scaled_up, 0), (PART)(scaled_down, as_is, scaled_up, 0), sums);
}

kernel void nrm2(long n, global const T* restrict x, long at_x, long inc_x, global PART* partial,
                 global RESULT* result, long at_result) {
  x += at_x;
  PART sums = nothing();
#if UNIT_STRIDES || ON_CPU
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(x));
  V large = (V)(0), medium = (V)(0), small = (V)(0);
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) {
      const V v = VECTOR_AT(x, VECTOR_OF(b, k, blocks), inc_x), none = (V)(0);
      const FLAGS is_large = fabs(v) > (V)(LARGE), is_small = fabs(v) < (V)(SMALL);
      const V scaled_down = select(none, v * LARGE_SCALE, is_large);
      const V scaled_up = select(none, v * SMALL_SCALE, is_small);
      const V as_is = select(v, none, is_large | is_small);
      large = fma(scaled_down, scaled_down, large);
      small = fma(scaled_up, scaled_up, small);
      medium = fma(as_is, as_is, medium);
    }
  const REAL2 l = fold(large), m = fold(medium), s = fold(small);
  sums = (PART)(l.x + l.y, m.x + m.y, s.x + s.y, 0);
  x += blocks * BLOCK * inc_x;
  n -= blocks * BLOCK;
#endif
  FOR_MINE(i, n) {
    const T element = x[i * inc_x];
#if COMPLEX
    sums = with_square(with_square(sums, element.x), element.y);
#else
    sums = with_square(sums, element);
#endif
  }
  CONCLUDE(sums)
}
AND_END(nrm2)
