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
#if DOUBLE
typedef JOIN(double, LANES) V;
typedef double4 REAL4;
#else
typedef JOIN(float, LANES) V;
typedef float4 REAL4;
#endif
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

#if COMPLEX
// Factors of a vector and of the swapped vector: a * f = a * p + swapped(a) * q, element by element;
// or conjugate(a) * f.
#define FACTORS(p, q, f, conj)                                                             \
  const V p = (conj) ? ALTERNATING((f).x, -(f).x) : (V)((f).x);                            \
  const V q = (conj) ? (V)((f).y) : ALTERNATING(-(f).y, (f).y)
#endif

#define AT_ONCE (COMPLEX ? 4 : 8)  // columns whose rows are multiplied in one go

// sums[i - from] += sum over columns [left, right) of op(a)(i, j) x[j], for rows [from, to).
inline void add_columns(MATRIX, long from, long to, long left, long right, bool conj,
                        global const T *x, T *sums) {
  long next;
  for (long j = left; j < right; j = next) {
    long low = max(FIRST_ROW(j), from), high = low;
    next = min(j + AT_ONCE, right);
    if (next - j == AT_ONCE) {
      low = max(FIRST_ROW(next - 1), from);
      high = min(END_ROW(j), to);
      high = high - low < STRIDE ? low : high - (high - low) % STRIDE;
    }
    if (low < high) {
      global const REAL *c[AT_ONCE];
      V p[AT_ONCE];
#if COMPLEX
      V q[AT_ONCE];
#endif
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k) {
        c[k] = (global const REAL *)COLUMN(j + k);
        const T value = x[j + k];
#if COMPLEX
        FACTORS(one, other, value, conj);
        p[k] = one;
        q[k] = other;
#else
        p[k] = (V)(value);
#endif
      }
      REAL *to_sums = (REAL *)sums - from * PARTS;
      for (long i = low * PARTS; i < high * PARTS; i += LANES) {
        V sum = LOAD_OWN(to_sums + i);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
          const V value = LOAD(c[k] + i);
          sum = fma(value, p[k], sum);
#if COMPLEX
          sum = fma(SWAPPED(value), q[k], sum);
#endif
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
    long low = max(FIRST_ROW(j), from), high = low;
    next = min(j + AT_ONCE, right);
    if (next - j == AT_ONCE) {
      low = max(FIRST_ROW(next - 1), from);
      high = min(END_ROW(j), to);
      high = high - low < STRIDE ? low : high - (high - low) % STRIDE;
    }
    if (low < high) {
      global const REAL *c[AT_ONCE];
      V straight[AT_ONCE];
#if COMPLEX
      V crossed[AT_ONCE];
#endif
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k) {
        c[k] = (global const REAL *)COLUMN(j + k);
        straight[k] = (V)(0);
#if COMPLEX
        crossed[k] = (V)(0);
#endif
      }
      global const REAL *factor = (global const REAL *)x;
      for (long i = low * PARTS; i < high * PARTS; i += LANES) {
        const V f = LOAD(factor + i);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
          const V value = LOAD(c[k] + i);
          straight[k] = fma(value, f, straight[k]);
#if COMPLEX
          crossed[k] = fma(value, SWAPPED(f), crossed[k]);
#endif
        }
      }
#pragma unroll
      for (int k = 0; k < AT_ONCE; ++k) {
        const REAL2 s = pair_sum(straight[k]);
#if COMPLEX
        const REAL2 t = pair_sum(crossed[k]);
        sums[j + k - left] += conj ? (T)(s.x + s.y, t.x - t.y) : (T)(s.x - s.y, t.x + t.y);
#else
        sums[j + k - left] += s.x + s.y;
#endif
      }
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
