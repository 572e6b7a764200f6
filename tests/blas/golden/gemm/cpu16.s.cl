#define PRECISION s
#define ON_CPU 1
<prelude>
<matrix_element>
#define LANES 16
<factor>
#define PACK pack_first
#define WIDTH 32
<pack>
#define PACK pack_second
#define WIDTH 2
<pack>
#define ROWS 32
#define COLUMNS 2
// A tile of C from columns [from, to) of two panels. `next` is read later, `step` reals of
// it for every column: what the caches are told of in time costs nothing.
inline void tile(int from, int to, global const REAL* restrict a,
                 global const REAL* restrict b, global T* restrict c, long ld, int rows,
                 int columns, T alpha, T beta, long above, int triangle, int hermitian,
                 global const REAL* next, int step) {
  VEC c0_0 = 0;
  VEC c0_1 = 0;
  VEC c1_0 = 0;
  VEC c1_1 = 0;
  a += (long)from * 32 * PARTS;
  b += (long)from * 2 * PARTS;
  for (int j = 0; j < min(columns, 2); ++j)
    for (int i = 0; i < 128; i += 64) WILL_WRITE((global const char*)(c + j * ld) + i);
  for (int k = from; k < to; ++k) {
    WILL_READ(next);
    next += step;
    const VEC a0 = LOAD(0, a);
    const VEC a1 = LOAD(1, a);
    { const VEC x = (VEC)(b[0]);
      c0_0 = fma(a0, x, c0_0);
      c0_1 = fma(a1, x, c0_1);
    }
    { const VEC x = (VEC)(b[1]);
      c1_0 = fma(a0, x, c1_0);
      c1_1 = fma(a1, x, c1_1);
    }
    a += 32 * PARTS;
    b += 2 * PARTS;
  }
  c0_0 *= alpha;
  c0_1 *= alpha;
  c1_0 *= alpha;
  c1_1 *= alpha;
  const bool whole = rows >= 32 && columns >= 2 &&
                     (triangle == 0 || (triangle == 1 ? above >= 1 : above <= -31));
  const bool off_diagonal = above >= 2 || above <= -32;
  if (whole && (hermitian == 0 || off_diagonal)) {
    if (is_zero(beta)) {
      STORE(c0_0, 0, c + 0 * ld);
      STORE(c0_1, 1, c + 0 * ld);
      STORE(c1_0, 0, c + 1 * ld);
      STORE(c1_1, 1, c + 1 * ld);
    } else {
      STORE(c0_0 + beta * LOAD(0, c + 0 * ld), 0, c + 0 * ld);
      STORE(c0_1 + beta * LOAD(1, c + 0 * ld), 1, c + 0 * ld);
      STORE(c1_0 + beta * LOAD(0, c + 1 * ld), 0, c + 1 * ld);
      STORE(c1_1 + beta * LOAD(1, c + 1 * ld), 1, c + 1 * ld);
    }
  } else {
    REAL t[64];
    KEEP(c0_0, t + 0);
    KEEP(c0_1, t + 16);
    KEEP(c1_0, t + 32);
    KEEP(c1_1, t + 48);
    for (int j = 0; j < min(columns, 2); ++j)
      for (int i = 0; i < min(rows, 32); ++i) {
        const long under = above + i - j;  // the diagonal
        if ((triangle == 1 && under < 0) || (triangle == 2 && under > 0)) continue;
        T value = t[j * 32 + i];
        global T* at = c + j * ld + i;
        const bool real = hermitian && under == 0;
        if (!is_zero(beta)) value = mul_add(beta, real ? real_part(*at) : *at, value);
        if (real) value = real_part(value);
        *at = value;
      }
  }
}

<tasks>
<product_tasks>
