// For CPUs: the inner loops of the matrix products, in vectors of the native width over numbers
// that lie side by side. A complex vector is one of reals, with the parts in turn.
#if ON_CPU
#define PARTS (COMPLEX ? 2 : 1)
#if NATIVE_FLOATS >= 16 && !DOUBLE
#define LANES 16
#elif NATIVE_FLOATS >= 16 || (NATIVE_FLOATS >= 8 && !DOUBLE)
#define LANES 8
#else
#define LANES 4
#endif
#define STRIDE (LANES / PARTS)  // elements of a vector
typedef JOIN(REAL_NAME, LANES) V;
typedef JOIN(REAL_NAME, 4) REAL4;
// Vectors at any element, in one instruction: PoCL makes four stores of a vstore16. ..._OWN are in
// private memory.
typedef V __attribute__((aligned(sizeof(REAL)))) V_ANYWHERE;
#define LOAD(p) (*(global const V_ANYWHERE *)(p))
#define STORE(v, p) (*(global V_ANYWHERE *)(p) = (v))
#define LOAD_OWN(p) (*(private const V_ANYWHERE *)(p))
#define STORE_OWN(v, p) (*(private V_ANYWHERE *)(p) = (v))

#if LANES == 16
#define SWAPPED(v) (v).s1032547698badcfe
#define ALTERNATING(p, q) (V)(p, q, p, q, p, q, p, q, p, q, p, q, p, q, p, q)
#define HALVES(v) SUM8((v).lo + (v).hi)
#elif LANES == 8
#define SWAPPED(v) (v).s10325476
#define ALTERNATING(p, q) (V)(p, q, p, q, p, q, p, q)
#define HALVES(v) SUM8(v)
#else
#define SWAPPED(v) (v).s1032
#define ALTERNATING(p, q) (V)(p, q, p, q)
#define HALVES(v) ((v).lo + (v).hi)
#endif
#define SUM4(v) ((v).lo + (v).hi)
#define SUM8(v) SUM4((v).lo + (v).hi)
// The sums of the even and of the odd lanes.
inline REAL2 pair_sum(V v) { return HALVES(v); }

// A number as a factor of vectors: a * f = a * p + swapped(a) * q, element by element, or
// conjugate(a) * f; and what adds such a product, of which q is no part where T is real.
#if COMPLEX
#define FACTORS(p, q, f, conj)                                                             \
  const V p = (conj) ? ALTERNATING((f).x, -(f).x) : (V)((f).x);                            \
  const V q = (conj) ? (V)((f).y) : ALTERNATING(-(f).y, (f).y)
#define ADD(sum, vector, p, q) fma(SWAPPED(vector), q, fma(vector, p, sum))
#define ADD_CROSSED(sum, a, b) fma(a, SWAPPED(b), sum)
#else
#define FACTORS(p, q, f, conj) const V p = (V)(f), q = p
#define ADD(sum, vector, p, q) fma(vector, p, sum)
#define ADD_CROSSED(sum, a, b) sum
#endif

// The sum of products of which `straight` has those of like parts, `crossed` those of unlike ones.
inline T sum_of(V straight, V crossed, bool conj) {
  const REAL2 s = pair_sum(straight);
#if COMPLEX
  const REAL2 t = pair_sum(crossed);
  return conj ? (T)(s.x + s.y, t.x - t.y) : (T)(s.x - s.y, t.x + t.y);
#else
  return s.x + s.y;
#endif
}

// The rows of [from, to) that the columns [j, next) have in common, as far as they make whole
// vectors: [*low, *high), empty where there are fewer columns than `wanted`.
inline void common_rows(MATRIX, long from, long to, long j, long next, long wanted, long *low,
                        long *high) {
  *low = *high = max(FIRST_ROW(j), from);
  if (next - j < wanted) return;
  *low = max(FIRST_ROW(next - 1), from);
  *high = min(END_ROW(j), to);
  *high = *high - *low < STRIDE ? *low : *high - (*high - *low) % STRIDE;
}

// Columns whose rows are multiplied in one go: more would lie in the same few places of the caches,
// where columns are a multiple of a page apart.
#define AT_ONCE 4

// sums[i - from] += sum over columns [left, right) of op(a)(i, j) x[j], for rows [from, to).
inline void add_columns(MATRIX, long from, long to, long left, long right, bool conj,
                        global const T *x, T *sums) {
  long next;
  for (long j = left; j < right; j = next) {
    long low, high;
    next = min(j + AT_ONCE, right);
    common_rows(SAME_MATRIX, from, to, j, next, AT_ONCE, &low, &high);
    if (low < high) {
      global const REAL *c[AT_ONCE];
      V p[AT_ONCE], q[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k) {
        c[k] = (global const REAL *)COLUMN(j + k);
        const T value = x[j + k];
        FACTORS(one, other, value, conj);
        p[k] = one;
        q[k] = other;
      }
      REAL *to_sums = (REAL *)sums - from * PARTS;
      for (long i = low * PARTS; i < high * PARTS; i += LANES) {
        V sum = LOAD_OWN(to_sums + i);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
          const V value = LOAD(c[k] + i);
          sum = ADD(sum, value, p[k], q[k]);
        }
        STORE_OWN(sum, to_sums + i);
      }
    }
    for (long k = j; k < next; ++k) {
      global const T *column = COLUMN(k);
      const long first = max(FIRST_ROW(k), from), end = min(END_ROW(k), to);
      const T value = x[k];
      for (long i = first; i < min(low, end); ++i)
        sums[i - from] = mul_add(conjugate_if(conj, column[i]), value, sums[i - from]);
      for (long i = max(first, high); i < end; ++i)
        sums[i - from] = mul_add(conjugate_if(conj, column[i]), value, sums[i - from]);
    }
  }
}

// sums[j - left] += sum over rows [from, to) of op(a)(i, j) x[i], for columns [left, right).
inline void add_rows(MATRIX, long from, long to, long left, long right, bool conj,
                     global const T *x, T *sums) {
  long next;
  for (long j = left; j < right; j = next) {
    long low, high;
    next = min(j + AT_ONCE, right);
    common_rows(SAME_MATRIX, from, to, j, next, AT_ONCE, &low, &high);
    if (low < high) {
      global const REAL *c[AT_ONCE];
      V straight[AT_ONCE], crossed[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k) {
        c[k] = (global const REAL *)COLUMN(j + k);
        straight[k] = crossed[k] = (V)(0);
      }
      global const REAL *factor = (global const REAL *)x;
      for (long i = low * PARTS; i < high * PARTS; i += LANES) {
        const V f = LOAD(factor + i);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
          const V value = LOAD(c[k] + i);
          straight[k] = fma(value, f, straight[k]);
          crossed[k] = ADD_CROSSED(crossed[k], value, f);
        }
      }
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k)
        sums[j + k - left] += sum_of(straight[k], crossed[k], conj);
    }
    for (long k = j; k < next; ++k) {
      global const T *column = COLUMN(k);
      const long first = max(FIRST_ROW(k), from), end = min(END_ROW(k), to);
      T sum = sums[k - left];
      for (long i = first; i < min(low, end); ++i)
        sum = mul_add(conjugate_if(conj, column[i]), x[i], sum);
      for (long i = max(first, high); i < end; ++i)
        sum = mul_add(conjugate_if(conj, column[i]), x[i], sum);
      sums[k - left] = sum;
    }
  }
}
#endif
