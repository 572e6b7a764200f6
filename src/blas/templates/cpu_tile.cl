// Level 3 on CPUs: the micro-kernel of products, and what becomes of its sums.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== cpu_tile_loops =====
// The vectors of a tile.
#define VECTORS (ROWS / LANES)
#define UNROLLED(i, end) _Pragma("unroll") for (int i = 0; i < end; ++i)
#define FOR_TILE(j, v) UNROLLED(j, COLUMNS) UNROLLED(v, VECTORS)

// Up to LANES elements `step` apart, of which n are there: as a vector where all are, side by side.
#define TAKE(kind, to, p, at, step, n) JOIN(TAKE_, JOIN(HAS_VECTORS_, kind))(kind, to, p, at, step, n)
#define TAKE_0(kind, to, p, at, step, n)                                          \
  {                                                                               \
    REAL some[LANES];                                                             \
    _Pragma("unroll") for (int lane = 0; lane < LANES; ++lane) some[lane] =       \
        lane < (n) ? GET(kind, p, (at) + lane * (step)) : 0;                      \
    to = JOIN(vload, LANES)(0, some);                                             \
  }
#define TAKE_1(kind, to, p, at, step, n)                                          \
  {                                                                               \
    if ((n) == LANES && (step) == 1) {                                            \
      to = GET_MANY(kind, LANES, p, at);                                          \
    } else {                                                                      \
      TAKE_0(kind, to, p, at, step, n)                                            \
    }                                                                             \
  }
#define HAS_VECTORS_0 1
#if LANES >= 4 && !DOUBLE
#define HAS_VECTORS_1 1
#define HAS_VECTORS_2 1
#define HAS_VECTORS_5 1
#else
#define HAS_VECTORS_1 0
#define HAS_VECTORS_2 0
#define HAS_VECTORS_5 0
#endif
#define HAS_VECTORS_3 0
#define HAS_VECTORS_4 0
#define HAS_VECTORS_6 0
#define HAS_VECTORS_7 0
//===== cpu_finish =====
// What becomes of a tile's sums where that is more than adding them to C: C is not stored as T, or integers are
// summed, or the result goes through an Epilogue (`finished`). Sums of a part of the depth wait in `partial`, as SUM;
// C is read and written once, when the last part is there.
#if INTEGER
typedef int SUM;
typedef JOIN(int, LANES) SUMS;
typedef JOIN(long, LANES) LONGS;
#define SUMS_OF(v) JOIN(convert_int, LANES)(v)  // exact: see `factor`
#define REALS_OF(v) JOIN(convert_float, LANES)(v)
#else
typedef REAL SUM;
typedef VEC SUMS;
#define SUMS_OF(v) (v)
#define REALS_OF(v) (v)
#endif
typedef SUMS __attribute__((aligned(sizeof(SUM)))) SUMS_ANYWHERE;

// Where a tile's sums go: element (i, j) of it is number first + i + j * ld of c, and in row i0 + i, column j0 + j of
// the whole result.
typedef struct {
  global ELEMENT(RESULT)* c;
  long first, ld;
  global SUM* partial;
  bool begins, ends;  // no part of the depth came before; none comes after
  long i0, j0;
} Target;

inline void put_many(VEC value, global ELEMENT(RESULT)* c, long at) {
#if RESULT == 0
  STORE(value, 0, c + at);
#elif RESULT == 1
  JOIN(JOIN(vstore_half, LANES), _rte)(value, 0, (global half*)c + at);
#elif RESULT == 2
  const JOIN(uint, LANES) bits = JOIN(as_uint, LANES)(value);
  const JOIN(uint, LANES) rounded = bits + 0x7fff + (bits >> 16 & 1);
  JOIN(vstore, LANES)(JOIN(convert_ushort, LANES)((isnan(value) ? (JOIN(uint, LANES))(0x7fc00000) : rounded) >> 16), 0,
                      c + at);
#elif RESULT == 5
  JOIN(vstore, LANES)(JOIN(JOIN(convert_char, LANES), _sat_rte)(value), 0, c + at);
#else
  REAL some[LANES];
  KEEP(value, some);
  for (int lane = 0; lane < LANES; ++lane) PUT(RESULT, c, at + lane, some[lane]);
#endif
}

inline VEC get_many_result(global const ELEMENT(RESULT)* c, long at) {
#if RESULT == 0
  return LOAD(0, c + at);
#elif LANES >= 4 && (RESULT == 1 || RESULT == 2 || RESULT == 5)
  return GET_MANY(RESULT, LANES, c, at);
#else
  VEC value;
  TAKE(RESULT, value, c, at, 1, LANES)
  return value;
#endif
}

inline void finish(SUMS sums[COLUMNS][VECTORS], const Target to, int rows, int columns, T alpha,
                   T beta, long above, int triangle AFTER_PARAMETERS) {
  if (!to.begins)
    FOR_TILE(j, v) sums[j][v] += *(global const SUMS_ANYWHERE*)(to.partial + j * ROWS + v * LANES);
  if (!to.ends) {
    FOR_TILE(j, v) *(global SUMS_ANYWHERE*)(to.partial + j * ROWS + v * LANES) = sums[j][v];
    return;
  }
#if RESULT == 6 && INTEGER
  if (alpha == 1 && beta == 0 && triangle == 0 && rows >= ROWS && columns >= COLUMNS) {
    FOR_TILE(j, v) *(global SUMS_ANYWHERE*)(to.c + to.first + j * to.ld + v * LANES) = sums[j][v];
    return;
  }
#endif
  SUM kept[COLUMNS][ROWS];
  FOR_TILE(j, v) *(private SUMS_ANYWHERE*)&kept[j][v * LANES] = sums[j][v];
  for (int j = 0; j < min(columns, COLUMNS); ++j)
    for (int i = 0; i < min(rows, ROWS); i += LANES) {
      const int there = min(rows - i, LANES);
      const long at = to.first + i + j * to.ld;
      const long under = above + i - j;  // the diagonal, of the first
      const bool all = there == LANES &&
                       (triangle == 0 || (triangle == 1 ? under >= 0 : under <= 1 - LANES));
#if RESULT == 6 && INTEGER
      // Integers that a float may not hold: alpha and beta are whole, too.
      if (all) {
        SUMS sum = *(private const SUMS_ANYWHERE*)&kept[j][i];
        global SUMS_ANYWHERE* old = (global SUMS_ANYWHERE*)(to.c + at);
        if (alpha != 1 || beta != 0) {
          LONGS value = (LONGS)((long)alpha) * JOIN(convert_long, LANES)(sum);
          if (beta != 0) value += (LONGS)((long)beta) * JOIN(convert_long, LANES)(*old);
          sum = JOIN(convert_int, LANES)(clamp(value, (LONGS)(INT_MIN), (LONGS)(INT_MAX)));
        }
        *old = sum;
        continue;
      }
      for (int lane = 0; lane < there; ++lane) {
        if ((triangle == 1 && under + lane < 0) || (triangle == 2 && under + lane > 0)) continue;
        long value = (long)alpha * kept[j][i + lane];
        if (beta != 0) value += (long)beta * to.c[at + lane];
        to.c[at + lane] = convert_int_sat(value);
      }
#else
      VEC value = alpha * REALS_OF(*(private const SUMS_ANYWHERE*)&kept[j][i]);
      if (beta != 0) {
        VEC old;
        if (all) {
          old = get_many_result(to.c, at);
        } else {
          TAKE(RESULT, old, to.c, at, 1, there)
        }
        value = fma((VEC)(beta), old, value);
      }
      value = finished(value, after, to.i0 + i, to.j0 + j, there);
      if (all) {
        put_many(value, to.c, at);
      } else {
        REAL some[LANES];
        KEEP(value, some);
        for (int lane = 0; lane < there; ++lane)
          if (triangle == 0 || (triangle == 1 ? under + lane >= 0 : under + lane <= 0))
            PUT(RESULT, to.c, at + lane, some[lane]);
      }
#endif
    }
}
//===== cpu_tile =====
// The micro-kernel. It multiplies columns [from, to) of two panels into
// a tile of C, ROWS x COLUMNS, that is kept in vector registers: every index of `sum` is known when
// the loops are unrolled. It follows `pack`, with whose vectors it computes.
//
// `next` is read later, `step` reals of it for every column: what the caches are told of in time
// costs nothing. `above`: the number of the tile's first row less that of its first column.
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
    // In the order of mul_add: a tile that is not whole has the same bits.
    low.even = fma(beta.x, o.even, fma(-beta.y, o.odd, low.even));
    low.odd = fma(beta.x, o.odd, fma(beta.y, o.even, low.odd));
    high.even = fma(beta.x, p.even, fma(-beta.y, p.odd, high.even));
    high.odd = fma(beta.x, p.odd, fma(beta.y, p.even, high.odd));
  }
  STORE(low, 0, at);
  STORE(high, 1, at);
#else
  if (adds)
    STORE(fma((VEC)(beta), LOAD(0, c), re), 0, c);
  else
    STORE(re, 0, c);
#endif
}

#if SPECIAL
#define TARGET_PARAMETERS const Target target
#else
#define TARGET_PARAMETERS global T* restrict c, long ld
#define AFTER_PARAMETERS
#define AFTER_ARGUMENTS
#endif

inline void tile(int from, int to, global const REAL* restrict a, global const REAL* restrict b,
                 TARGET_PARAMETERS, int rows, int columns, T alpha, T beta, long above,
                 int triangle, int hermitian, global const REAL* next, int step AFTER_PARAMETERS) {
#if SPECIAL
  global ELEMENT(RESULT)* c = target.c + target.first;
  const long ld = target.ld;
#endif
  VEC sum[PARTS][COLUMNS][VECTORS];
  UNROLLED(part, PARTS) FOR_TILE(j, v) sum[part][j][v] = 0;
  a += (long)from * ROWS * PARTS;
  b += (long)from * COLUMNS * PARTS;
  for (int j = 0; j < min(columns, COLUMNS); ++j)
    for (int i = 0; i < ROWS * (int)sizeof(*c); i += 64)
      WILL_WRITE((global const char*)(c + j * ld) + i);
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
#if COMPLEX && defined(FLIPPED)
        // The factors are exchanged: these sums have the bits that they have where they are not.
        sum[1][j][v] = fma(x[0][v], z, sum[1][j][v]);
        sum[0][j][v] = fma(-x[1][v], z, sum[0][j][v]);
        sum[1][j][v] = fma(x[1][v], y, sum[1][j][v]);
#elif COMPLEX
        sum[1][j][v] = fma(x[1][v], y, sum[1][j][v]);
        sum[0][j][v] = fma(-x[1][v], z, sum[0][j][v]);
        sum[1][j][v] = fma(x[0][v], z, sum[1][j][v]);
#endif
      }
    }
    a += ROWS * PARTS;
    b += COLUMNS * PARTS;
  }
#if SPECIAL
  SUMS sums[COLUMNS][VECTORS];
  FOR_TILE(j, v) sums[j][v] = SUMS_OF(sum[0][j][v]);
  finish(sums, target, rows, columns, alpha, beta, above, triangle AFTER_ARGUMENTS);
#else
  FOR_TILE(j, v) {
#if COMPLEX
    const VEC r = sum[0][j][v], i = sum[1][j][v];
    sum[0][j][v] = alpha.x * r - alpha.y * i;
    sum[1][j][v] = alpha.x * i + alpha.y * r;
#else
    sum[0][j][v] *= alpha;
#endif
  }

  const bool inside = triangle == 0 || (triangle == 1 ? above >= COLUMNS - 1 : above <= 1 - ROWS);
  const bool off_diagonal = above >= COLUMNS || above <= -ROWS;
  const bool is_plain = inside && (hermitian == 0 || off_diagonal);
  if (is_plain && rows >= ROWS && columns >= COLUMNS) {
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
  for (int j = 0; j < min(columns, COLUMNS); ++j) {
    int i = 0;
    // At an edge of C whole vectors are still written as vectors.
    for (; is_plain && i + LANES <= min(rows, ROWS); i += LANES)
      put_vector(*(private const VEC_ANYWHERE*)&t[0][j][i],
                 *(private const VEC_ANYWHERE*)&t[PARTS - 1][j][i], !is_zero(beta), beta,
                 c + j * ld + i);
    for (; i < min(rows, ROWS); ++i) {
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
#endif
}
//===== cpu_finish_only =====
// A result without a product, beta C and what becomes of that: a work-item a tile.
kernel void finish_only(global ELEMENT(RESULT)* c, long offset, long ld, long rows, long columns,
                        T beta, int triangle AFTER_KERNEL_PARAMETERS) {
  AFTER_FROM_PARAMETERS
  const long i0 = get_global_id(0) * ROWS, j0 = get_global_id(1) * COLUMNS;
#if !(BIAS || SCALE || ACTIVATION || RESIDUAL)
  if (beta == 1) return;
#endif
  if ((triangle == 1 && i0 + ROWS <= j0) || (triangle == 2 && j0 + COLUMNS <= i0)) return;
  SUMS none[COLUMNS][VECTORS];
  FOR_TILE(j, v) none[j][v] = 0;
  finish(none, (Target){c, offset + j0 * ld + i0, ld, 0, true, true, i0, j0},
         (int)min(rows - i0, (long)ROWS), (int)min(columns - j0, (long)COLUMNS), zero(), beta,
         i0 - j0, triangle AFTER_ARGUMENTS);
}
