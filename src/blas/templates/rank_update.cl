// A = A + alpha u op(v)  (terms = 1), or A + alpha u op(v) + alpha' v op(u)  (terms = 2), for the
// elements that A's shape has, in columns [from, to). op is the transposition; the vectors lie side
// by side. flags: 1 the factor that goes down a column is conjugated, 2 the one that goes along a
// row is, 4 alpha' is alpha's conjugate (otherwise alpha), 8 the diagonal has no imaginary parts.
//
// A CPU's work-item takes `columns` columns of one of the parts of the rows. A GPU's work-group
// takes its rows of `columns` columns, at most AT_ONCE.
#define AT_ONCE 8
#define DOWN(value) conjugate_if(flags & 1, value)
#define ALONG(value) conjugate_if(flags & 2, value)

#if ON_CPU
// Two columns at a time, so that the vector is read once for both: rows [first, end).
inline void update_pair(global T *left, global T *right, long first, long end, T s, T t, long flags,
                        global const T *u) {
  global REAL *c = (global REAL *)left, *d = (global REAL *)right;
  global const REAL *down = (global const REAL *)u;
  FACTORS(p, q, s, flags & 1);
  FACTORS(p2, q2, t, flags & 1);
  const long whole = end < first ? first : end - (end - first) % STRIDE;
  for (long i = first * PARTS; i < whole * PARTS; i += LANES) {
    const V f = LOAD(down + i);
    STORE(ADD(LOAD(c + i), f, p, q), c + i);
    STORE(ADD(LOAD(d + i), f, p2, q2), d + i);
  }
  for (long i = whole; i < end; ++i) {
    left[i] = mul_add(DOWN(u[i]), s, left[i]);
    right[i] = mul_add(DOWN(u[i]), t, right[i]);
  }
}

inline void update_column(global T *column, long first, long end, T s, T t, long terms, long flags,
                          global const T *u, global const T *v) {
  global REAL *c = (global REAL *)column;
  global const REAL *down_u = (global const REAL *)u, *down_v = (global const REAL *)v;
  FACTORS(p, q, s, flags & 1);
  FACTORS(p2, q2, t, flags & 1);
  const long whole = end < first ? first : end - (end - first) % STRIDE;
  if (terms == 1) {
    for (long i = first * PARTS; i < whole * PARTS; i += LANES) {
      const V f = LOAD(down_u + i);
      STORE(ADD(LOAD(c + i), f, p, q), c + i);
    }
    for (long i = whole; i < end; ++i) column[i] = mul_add(DOWN(u[i]), s, column[i]);
  } else {
    for (long i = first * PARTS; i < whole * PARTS; i += LANES) {
      const V f = LOAD(down_u + i), g = LOAD(down_v + i);
      STORE(ADD(ADD(LOAD(c + i), f, p, q), g, p2, q2), c + i);
    }
    for (long i = whole; i < end; ++i)
      column[i] = mul_add(DOWN(v[i]), t, mul_add(DOWN(u[i]), s, column[i]));
  }
}
#endif

kernel void rank_update(MATRIX_OUT, long from, long to, long columns, long parts, T alpha,
                        long terms, long flags, global const T *u, long offset_u,
                        global const T *v, long offset_v) {
  u += offset_u;
  v += offset_v;
  const T alpha_2 = conjugate_if(flags & 4, alpha);
  const long blocks = (to - from + columns - 1) / columns;
#if ON_CPU
  const long item = get_global_id(0), part = item / blocks;
#else
  const long item = get_group_id(0), part = item / blocks;
#endif
  const long begin = from + IN_TURN(item % blocks, blocks) * columns, end = min(begin + columns, to);
  const long top = FIRST_ROW(begin), bottom = END_ROW(end - 1);
  const long stop = PART(top, bottom, part + 1, parts), start = PART(top, bottom, part, parts);
#if ON_CPU
  long j = begin;
  // Columns of a rectangle have the same rows.
  if (terms == 1 && FIRST_ROW(end - 1) == FIRST_ROW(begin) && END_ROW(begin) == END_ROW(end - 1))
    for (; j + 2 <= end; j += 2)
      update_pair(COLUMN(j), COLUMN(j + 1), start, stop, mul(alpha, ALONG(v[j])),
                  mul(alpha, ALONG(v[j + 1])), flags, u);
  for (; j < end; ++j) {
    const T s = mul(alpha, ALONG(v[j]));
    const T t = terms == 2 ? mul(alpha_2, ALONG(u[j])) : zero();
    const long first = max(FIRST_ROW(j), start), last = min(END_ROW(j), stop);
    update_column(COLUMN(j), first, last, s, t, terms, flags, u, v);
#if COMPLEX
    if ((flags & 8) && first <= j && j < last) COLUMN(j)[j].y = 0;
#endif
  }
#else
  // The columns and their factors, and then a row's elements, are read before any is written, so
  // that reads do not wait for one another.
  global T *column[AT_ONCE];
  T along_v[AT_ONCE], along_u[AT_ONCE];
#pragma unroll
  for (int k = 0; k < AT_ONCE; ++k) {
    const long j = min(begin + k, end - 1);
    column[k] = COLUMN(j);
    along_v[k] = mul(alpha, ALONG(v[j]));
    along_u[k] = terms == 2 ? mul(alpha_2, ALONG(u[j])) : zero();
  }
  for (long i = start + get_local_id(0); i < stop; i += get_local_size(0)) {
    const T down_u = DOWN(u[i]), down_v = terms == 2 ? DOWN(v[i]) : zero();
    const int first = (int)clamp(FIRST_COLUMN(i) - begin, 0L, (long)AT_ONCE);
    const int last = (int)clamp(min(end, END_COLUMN(i)) - begin, 0L, (long)AT_ONCE);
    T value[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k)
      if (k >= first && k < last) value[k] = column[k][i];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      value[k] = mul_add(down_u, along_v[k], value[k]);
      if (terms == 2) value[k] = mul_add(down_v, along_u[k], value[k]);
#if COMPLEX
      if ((flags & 8) && i == begin + k) value[k].y = 0;
#endif
      if (k >= first && k < last) column[k][i] = value[k];
    }
  }
#endif
}
