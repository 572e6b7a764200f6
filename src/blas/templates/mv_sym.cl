// For CPUs. part = (S + op(S)) x, where S is a triangle of the matrix without its diagonal and op
// its transposition; both halves in one reading of S. Each work-item takes strips of columns, every
// `items`-th, and adds to a vector of its own, part_step after another. conj 1: S is to be
// conjugated where it stands; 2: where it stands transposed; 0: nowhere.
#define STRIP 32
#define TOGETHER (LANES * sizeof(REAL) == 64 && !COMPLEX ? 8 : 4)

inline void add_scalar(global const T *column, long first, long end, long j, long conj,
                       global const T *x, global T *y) {
  const T factor = x[j];
  T sum = y[j];
  for (long i = first; i < end; ++i) {
    const T value = column[i];
    y[i] = mul_add(conjugate_if(conj == 1, value), factor, y[i]);
    sum = mul_add(conjugate_if(conj == 2, value), x[i], sum);
  }
  y[j] = sum;
}

inline void add_strip(MATRIX, long left, long right, long conj, global const T *x, global T *y) {
  long next;
  for (long j = left; j < right; j = next) {
    long low = FIRST_ROW(j), high = low;
    next = min(j + TOGETHER, right);
    if (next - j == TOGETHER) {
      low = FIRST_ROW(next - 1);
      high = END_ROW(j);
      high = high - low < STRIDE ? low : high - (high - low) % STRIDE;
    }
    if (low < high) {
      global const REAL *c[TOGETHER];
      V p[TOGETHER], straight[TOGETHER];
#if COMPLEX
      V q[TOGETHER], crossed[TOGETHER];
#endif
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) {
        c[k] = (global const REAL *)COLUMN(j + k);
        const T value = x[j + k];
        straight[k] = (V)(0);
#if COMPLEX
        FACTORS(one, other, value, conj == 1);
        p[k] = one;
        q[k] = other;
        crossed[k] = (V)(0);
#else
        p[k] = (V)(value);
#endif
      }
      global const REAL *factor = (global const REAL *)x;
      global REAL *sums = (global REAL *)y;
      for (long i = low * PARTS; i < high * PARTS; i += LANES) {
        const V f = LOAD(factor + i);
        V sum = LOAD(sums + i);
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k) {
          const V value = LOAD(c[k] + i);
          sum = fma(value, p[k], sum);
          straight[k] = fma(value, f, straight[k]);
#if COMPLEX
          sum = fma(SWAPPED(value), q[k], sum);
          crossed[k] = fma(value, SWAPPED(f), crossed[k]);
#endif
        }
        STORE(sum, sums + i);
      }
#pragma unroll
      for (int k = 0; k < TOGETHER; ++k) {
        const REAL2 s = pair_sum(straight[k]);
#if COMPLEX
        const REAL2 t = pair_sum(crossed[k]);
        y[j + k] += conj == 2 ? (T)(s.x + s.y, t.x - t.y) : (T)(s.x - s.y, t.x + t.y);
#else
        y[j + k] += s.x + s.y;
#endif
      }
    }
    for (long k = j; k < next; ++k) {
      const long first = FIRST_ROW(k), end = END_ROW(k);
      add_scalar(COLUMN(k), first, min(low, end), k, conj, x, y);
      add_scalar(COLUMN(k), max(first, high), end, k, conj, x, y);
    }
  }
}

kernel void mv_sym(MATRIX, long first_item, long items, long conj, global const T *x,
                   long offset_x, global T *part, long part_step) {
  const long item = first_item + get_global_id(0);
  x += offset_x;
  part += item * part_step;
  for (long i = 0; i < n; ++i) part[i] = zero();
  for (long round = 0; round * items * STRIP < n; ++round) {
    const long strip = round * items + (round % 2 == 0 ? item : items - 1 - item);
    add_strip(SAME_MATRIX, min(strip * STRIP, n), min((strip + 1) * STRIP, n), conj, x, part);
  }
}
