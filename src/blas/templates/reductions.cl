// Level 1: vectors to one number. Each follows `vectors` and `reduction`, which joins what the
// work-items found.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== reduction =====
// The end of a reduction. A template defines PART, what a work-item knows of its elements, and
//   PART nothing(void);  PART join(PART, PART);
//   RESULT outcome(PART);
// Its kernel ends with CONCLUDE(mine): the work-group's parts are joined, and written to
// partial[group], or where there is one group alone as the call's result. The kernel NAME_end of
// AND_END(NAME), one work-group, joins what the others wrote. The tree is the same in every run of
// one geometry, so that the result has the same bits.
// GROUP: work-items of a work-group, a power of two; 1 on CPUs.
#if GROUP > 1
#define JOIN_GROUP(mine)                                                                \
  local PART parts[GROUP];                                                              \
  parts[get_local_id(0)] = mine;                                                        \
  for (uint half_ = GROUP / 2; half_ > 0; half_ /= 2) {                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                       \
    if (get_local_id(0) < half_)                                                        \
      parts[get_local_id(0)] = join(parts[get_local_id(0)], parts[get_local_id(0) + half_]); \
  }                                                                                     \
  mine = parts[get_local_id(0)]
#else
#define JOIN_GROUP(mine)
#endif

#define CONCLUDE(mine)                              \
  JOIN_GROUP(mine);                                 \
  if (get_local_id(0) == 0) {                       \
    if (get_num_groups(0) == 1)                     \
      result[at_result] = outcome(mine);            \
    else                                            \
      partial[get_group_id(0)] = mine;              \
  }

#define AND_END(name)                                                              \
  kernel void JOIN(name, _end)(long count, global const PART* partial,             \
                               global RESULT* result, long at_result) {            \
    PART mine = nothing();                                                         \
    for (long i = get_local_id(0); i < count; i += GROUP) mine = join(mine, partial[i]); \
    JOIN_GROUP(mine);                                                              \
    if (get_local_id(0) == 0) result[at_result] = outcome(mine);                   \
  }

// The size of an element, and of those of a vector: |re| + |im| where T is complex.
#if COMPLEX
#define SIZE_OF(element) (fabs((element).x) + fabs((element).y))
#define SIZES_OF(v) (fabs(v) + exchanged(fabs(v)))
#else
#define SIZE_OF(element) fabs(element)
#define SIZES_OF(v) fabs(v)
#endif
//===== dot_product =====
// The sum of the products x[i] y[i], those of conjugate(x[i]) where CONJUGATED.
// (A kernel may not have the name of the built-in function dot.)
#define PART T
#define RESULT T
inline PART nothing(void) { return zero(); }
inline PART join(PART a, PART b) { return a + b; }
inline RESULT outcome(PART sum) { return sum; }
#if CONJUGATED
#define FIRST(x) conjugate(x)
#else
#define FIRST(x) (x)
#endif

kernel void dot_product(long n, global const T* restrict x, long at_x, long inc_x,
                        global const T* restrict y, long at_y, long inc_y, global PART* partial,
                        global RESULT* result, long at_result) {
  x += at_x;
  y += at_y;
  T sum = zero();
#if UNIT_STRIDES
  global const REAL* restrict one = (global const REAL*)x;
  global const REAL* restrict other = (global const REAL*)y;
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(one) && IS_ALIGNED(other));
  V same[CHAINS], crossed[CHAINS];  // products of like parts, and of unlike ones
  FOR_CHAINS(k) same[k] = crossed[k] = (V)(0);
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) {
      const V v = load(one, VECTOR_OF(b, k, blocks)), w = load(other, VECTOR_OF(b, k, blocks));
      same[k] = fma(v, w, same[k]);
#if COMPLEX
      crossed[k] = fma(v, exchanged(w), crossed[k]);
#endif
    }
  const REAL2 likes = fold((same[0] + same[1]) + (same[2] + same[3]));
#if COMPLEX
  const REAL2 unlikes = fold((crossed[0] + crossed[1]) + (crossed[2] + crossed[3]));
#if CONJUGATED
  sum = (T)(likes.x + likes.y, unlikes.x - unlikes.y);
#else
  sum = (T)(likes.x - likes.y, unlikes.x + unlikes.y);
#endif
#else
  sum = likes.x + likes.y;
#endif
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  FOR_MINE(i, n - blocks * BLOCK) sum = mul_add(FIRST(x[i]), y[i], sum);
#else
  T sums[CHAINS];
  FOR_CHAINS(k) sums[k] = zero();
  const long blocks = n / CHAINS;
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) {
      const long i = VECTOR_OF(b, k, blocks);
      sums[k] = mul_add(FIRST(x[i * inc_x]), y[i * inc_y], sums[k]);
    }
  sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  x += blocks * CHAINS * inc_x;
  y += blocks * CHAINS * inc_y;
  FOR_MINE(i, n - blocks * CHAINS) sum = mul_add(FIRST(x[i * inc_x]), y[i * inc_y], sum);
#endif
  CONCLUDE(sum)
}
AND_END(dot_product)
//===== nrm2 =====
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
  // Next to large numbers small ones are nothing. NaN is a medium number, and stays one here.
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
//===== asum =====
// The sum of |x[i]|, of |re| + |im| where T is complex. NaN where there is one.
#define PART REAL
#define RESULT REAL
inline PART nothing(void) { return 0; }
inline PART join(PART a, PART b) { return a + b; }
inline RESULT outcome(PART sum) { return sum; }

kernel void asum(long n, global const T* restrict x, long at_x, long inc_x, global PART* partial,
                 global RESULT* result, long at_result) {
  x += at_x;
  REAL sum = 0;
#if UNIT_STRIDES || ON_CPU
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(x));
  V sums[CHAINS];
  FOR_CHAINS(k) sums[k] = (V)(0);
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) sums[k] += fabs(VECTOR_AT(x, VECTOR_OF(b, k, blocks), inc_x));
  const REAL2 both = fold((sums[0] + sums[1]) + (sums[2] + sums[3]));
  sum = both.x + both.y;
  x += blocks * BLOCK * inc_x;
  n -= blocks * BLOCK;
#endif
  FOR_MINE(i, n) sum += SIZE_OF(x[i * inc_x]);
  CONCLUDE(sum)
}
AND_END(asum)
//===== sum =====
// The sum of x[i].
#define PART T
#define RESULT T
inline PART nothing(void) { return zero(); }
inline PART join(PART a, PART b) { return a + b; }
inline RESULT outcome(PART sum) { return sum; }

kernel void sum(long n, global const T* restrict x, long at_x, long inc_x, global PART* partial,
                global RESULT* result, long at_result) {
  x += at_x;
  T sum = zero();
#if UNIT_STRIDES || ON_CPU
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(x));
  V sums[CHAINS];
  FOR_CHAINS(k) sums[k] = (V)(0);
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) sums[k] += VECTOR_AT(x, VECTOR_OF(b, k, blocks), inc_x);
  const REAL2 both = fold((sums[0] + sums[1]) + (sums[2] + sums[3]));
#if COMPLEX
  sum = both;
#else
  sum = both.x + both.y;
#endif
  x += blocks * BLOCK * inc_x;
  n -= blocks * BLOCK;
#endif
  FOR_MINE(i, n) sum += x[i * inc_x];
  CONCLUDE(sum)
}
AND_END(sum)
//===== iamax =====
// The number, from FIRST_INDEX, of the first element whose size (|re| + |im| where T is complex) is
// the largest; 0 where there are no elements. As in reference BLAS, where a comparison with NaN is
// false, a NaN that comes first is the largest, and no other one is.
// OF_VALUES: not of the size but of the real part. SMALLEST: not the largest: that of the negatives.
#if OF_VALUES && COMPLEX
#define GIVEN(element) ((element).x)
#define GIVEN_OF(v) (v)
#elif OF_VALUES
#define GIVEN(element) (element)
#define GIVEN_OF(v) (v)
#else
#define GIVEN(element) SIZE_OF(element)
#define GIVEN_OF(v) SIZES_OF(v)
#endif
#if SMALLEST
#define RANK_OF(element) (-GIVEN(element))
#define RANKS_OF(v) (-GIVEN_OF(v))
#else
#define RANK_OF(element) GIVEN(element)
#define RANKS_OF(v) GIVEN_OF(v)
#endif

typedef struct {
  REAL size;
  uint place;  // from 0
} Candidate;
#define PART Candidate
#define RESULT uint
inline PART candidate(REAL size, long place) {
  PART made;
  made.size = size;
  made.place = (uint)place;
  return made;
}
inline PART nothing(void) { return candidate(-INFINITY, -1); }
inline PART join(PART a, PART b) {
  if (b.size > a.size || (b.size == a.size && b.place < a.place)) return b;
  return a;
}
inline RESULT outcome(PART best) { return best.place == (uint)-1 ? 0 : best.place + FIRST_INDEX; }

kernel void iamax(long n, global const T* restrict x, long at_x, long inc_x, global PART* partial,
                  global RESULT* result, long at_result) {
  x += at_x;
  PART best = nothing();
#if UNIT_STRIDES || ON_CPU
  const long vectors = BLOCKS_OF(n, IS_ALIGNED(x)) * CHAINS;
  V sizes = (V)(-INFINITY);  // the largest of each lane: ever later vectors, so the first of equals,
  FLAGS at = (FLAGS)(0);     // and the number of its vector
#pragma unroll 4
  FOR_MINE(i, vectors) {
    const V found = RANKS_OF(VECTOR_AT(x, i, inc_x));
    const FLAGS larger = found > sizes;
    at = select(at, (FLAGS)(i), larger);
    sizes = select(sizes, found, larger);
  }
  REAL size_of[LANES];
  JOIN(vstore, LANES)(sizes, 0, size_of);
  INTEGER_NAME vector_of[LANES];
  JOIN(vstore, LANES)(at, 0, vector_of);
  for (int lane = 0; lane < LANES; lane += LANES / ELEMENTS)
    if (size_of[lane] > -INFINITY)
      best = join(best, candidate(size_of[lane], (long)vector_of[lane] * ELEMENTS +
                                                     lane / (LANES / ELEMENTS)));
  const long done = vectors * ELEMENTS;
#else
  const long done = 0;
#endif
  FOR_MINE(i, n - done)
    best = join(best, candidate(RANK_OF(x[(done + i) * inc_x]), done + i));
  // Where all are -INFINITY, the first of them is found.
  if (get_global_id(0) == 0 && n > 0)
    best = isnan(RANK_OF(x[0])) ? candidate(INFINITY, 0) : join(best, candidate(-INFINITY, 0));
  CONCLUDE(best)
}
AND_END(iamax)
