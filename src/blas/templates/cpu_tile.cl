// Level 3 on CPUs: the micro-kernel of products. It multiplies columns [from, to) of two panels into
// a tile of C, ROWS x COLUMNS, that is kept in vector registers: every index of `sum` is known when
// the loops are unrolled. It follows `pack`, with whose vectors it computes.
//
// `next` is read later, `step` reals of it for every column: what the caches are told of in time
// costs nothing. `above`: the number of the tile's first row less that of its first column.
#define VECTORS (ROWS / LANES)
#define UNROLLED(i, end) _Pragma("unroll") for (int i = 0; i < end; ++i)
#define FOR_TILE(j, v) UNROLLED(j, COLUMNS) UNROLLED(v, VECTORS)

// Writes the elements of a vector, or adds them to beta times what is there.
inline void put_vector(const VEC re, const VEC im, bool adds, T beta, global T* c) {
#if COMPLEX
  // Real and imaginary parts side by side: half of a vector of each makes a vector of elements.
  global REAL* at = (global REAL*)c;
  VEC low, high;
  low.even = re.lo;
  low.odd = im.lo;
  high.even = re.hi;
  high.odd = im.hi;
  if (adds) {
    const VEC o = LOAD(0, at), p = LOAD(1, at);
    low.even += beta.x * o.even - beta.y * o.odd;
    low.odd += beta.x * o.odd + beta.y * o.even;
    high.even += beta.x * p.even - beta.y * p.odd;
    high.odd += beta.x * p.odd + beta.y * p.even;
  }
  STORE(low, 0, at);
  STORE(high, 1, at);
#else
  if (adds)
    STORE(re + beta * LOAD(0, c), 0, c);
  else
    STORE(re, 0, c);
#endif
}

inline void tile(int from, int to, global const REAL* restrict a, global const REAL* restrict b,
                 global T* restrict c, long ld, int rows, int columns, T alpha, T beta, long above,
                 int triangle, int hermitian, global const REAL* next, int step) {
  VEC sum[PARTS][COLUMNS][VECTORS];
  UNROLLED(part, PARTS) FOR_TILE(j, v) sum[part][j][v] = 0;
  a += (long)from * ROWS * PARTS;
  b += (long)from * COLUMNS * PARTS;
  for (int j = 0; j < min(columns, COLUMNS); ++j)
    for (int i = 0; i < ROWS * (int)sizeof(T); i += 64) WILL_WRITE((global const char*)(c + j * ld) + i);
  for (int k = from; k < to; ++k) {
    WILL_READ(next);
    next += step;
    VEC x[PARTS][VECTORS];
    UNROLLED(part, PARTS) UNROLLED(v, VECTORS) x[part][v] = LOAD(v, a + part * ROWS);
    UNROLLED(j, COLUMNS) {
      const VEC y = (VEC)(b[j]);
#if COMPLEX
      const VEC z = (VEC)(b[COLUMNS + j]);
#endif
      UNROLLED(v, VECTORS) {
        sum[0][j][v] = fma(x[0][v], y, sum[0][j][v]);
#if COMPLEX
        sum[1][j][v] = fma(x[1][v], y, sum[1][j][v]);
        sum[0][j][v] = fma(-x[1][v], z, sum[0][j][v]);
        sum[1][j][v] = fma(x[0][v], z, sum[1][j][v]);
#endif
      }
    }
    a += ROWS * PARTS;
    b += COLUMNS * PARTS;
  }
  FOR_TILE(j, v) {
#if COMPLEX
    const VEC r = sum[0][j][v], i = sum[1][j][v];
    sum[0][j][v] = alpha.x * r - alpha.y * i;
    sum[1][j][v] = alpha.x * i + alpha.y * r;
#else
    sum[0][j][v] *= alpha;
#endif
  }

  const bool whole = rows >= ROWS && columns >= COLUMNS &&
                     (triangle == 0 || (triangle == 1 ? above >= COLUMNS - 1 : above <= 1 - ROWS));
  const bool off_diagonal = above >= COLUMNS || above <= -ROWS;
  if (whole && (hermitian == 0 || off_diagonal)) {
    if (is_zero(beta)) {
      FOR_TILE(j, v)
        put_vector(sum[0][j][v], sum[PARTS - 1][j][v], false, beta, c + j * ld + v * LANES);
    } else {
      FOR_TILE(j, v)
        put_vector(sum[0][j][v], sum[PARTS - 1][j][v], true, beta, c + j * ld + v * LANES);
    }
    return;
  }
  REAL t[PARTS][COLUMNS][ROWS];
  UNROLLED(part, PARTS) FOR_TILE(j, v) KEEP(sum[part][j][v], &t[part][j][v * LANES]);
  for (int j = 0; j < min(columns, COLUMNS); ++j)
    for (int i = 0; i < min(rows, ROWS); ++i) {
      const long under = above + i - j;  // the diagonal
      if ((triangle == 1 && under < 0) || (triangle == 2 && under > 0)) continue;
#if COMPLEX
      T value = (T)(t[0][j][i], t[1][j][i]);
#else
      T value = t[0][j][i];
#endif
      global T* at = c + j * ld + i;
      const bool real = hermitian && under == 0;  // its imaginary part is not read, whatever it is
      if (!is_zero(beta)) value = mul_add(beta, real ? real_part(*at) : *at, value);
      if (real) value = real_part(value);
      *at = value;
    }
}
