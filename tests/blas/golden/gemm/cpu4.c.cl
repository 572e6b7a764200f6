#define PRECISION c
#define ON_CPU 1
<prelude>
<matrix_element>
#define LANES 4
<factor>
#define PACK pack_first
#define WIDTH 4
<pack>
#define PACK pack_second
#define WIDTH 2
<pack>
#define ROWS 4
#define COLUMNS 2
// A tile of C from columns [from, to) of two panels. `next` is read later, `step` reals of
// it for every column: what the caches are told of in time costs nothing.
inline void tile(int from, int to, global const REAL* restrict a,
                 global const REAL* restrict b, global T* restrict c, long ld, int rows,
                 int columns, T alpha, T beta, long above, int triangle, int hermitian,
                 global const REAL* next, int step) {
  VEC re0_0 = 0, im0_0 = 0;
  VEC re1_0 = 0, im1_0 = 0;
  a += (long)from * 4 * PARTS;
  b += (long)from * 2 * PARTS;
  for (int j = 0; j < min(columns, 2); ++j)
    for (int i = 0; i < 32; i += 64) WILL_WRITE((global const char*)(c + j * ld) + i);
  for (int k = from; k < to; ++k) {
    WILL_READ(next);
    next += step;
    const VEC ar0 = LOAD(0, a), ai0 = LOAD(0, a + 4);
    { const VEC x = (VEC)(b[0]), y = (VEC)(b[2]);
      re0_0 = fma(ar0, x, re0_0); im0_0 = fma(ai0, x, im0_0);
      re0_0 = fma(-ai0, y, re0_0); im0_0 = fma(ar0, y, im0_0);
    }
    { const VEC x = (VEC)(b[1]), y = (VEC)(b[3]);
      re1_0 = fma(ar0, x, re1_0); im1_0 = fma(ai0, x, im1_0);
      re1_0 = fma(-ai0, y, re1_0); im1_0 = fma(ar0, y, im1_0);
    }
    a += 4 * PARTS;
    b += 2 * PARTS;
  }
  { const VEC r = re0_0; re0_0 = alpha.x * r - alpha.y * im0_0; im0_0 = alpha.x * im0_0 + alpha.y * r; }
  { const VEC r = re1_0; re1_0 = alpha.x * r - alpha.y * im1_0; im1_0 = alpha.x * im1_0 + alpha.y * r; }
  const bool whole = rows >= 4 && columns >= 2 &&
                     (triangle == 0 || (triangle == 1 ? above >= 1 : above <= -3));
  const bool off_diagonal = above >= 2 || above <= -4;
  if (whole && (hermitian == 0 || off_diagonal)) {
    if (is_zero(beta)) {
      { global REAL* at = (global REAL*)(c + 0 * ld + 0);
        VEC low, high;
        low.even = re0_0.lo; low.odd = im0_0.lo;
        high.even = re0_0.hi; high.odd = im0_0.hi;
        STORE(low, 0, at); STORE(high, 1, at); }
      { global REAL* at = (global REAL*)(c + 1 * ld + 0);
        VEC low, high;
        low.even = re1_0.lo; low.odd = im1_0.lo;
        high.even = re1_0.hi; high.odd = im1_0.hi;
        STORE(low, 0, at); STORE(high, 1, at); }
    } else {
      { global REAL* at = (global REAL*)(c + 0 * ld + 0);
        VEC low, high;
        low.even = re0_0.lo; low.odd = im0_0.lo;
        high.even = re0_0.hi; high.odd = im0_0.hi;
        { const VEC o = LOAD(0, at);
          low.even += beta.x * o.even - beta.y * o.odd;
          low.odd += beta.x * o.odd + beta.y * o.even; }
        { const VEC o = LOAD(1, at);
          high.even += beta.x * o.even - beta.y * o.odd;
          high.odd += beta.x * o.odd + beta.y * o.even; }
        STORE(low, 0, at); STORE(high, 1, at); }
      { global REAL* at = (global REAL*)(c + 1 * ld + 0);
        VEC low, high;
        low.even = re1_0.lo; low.odd = im1_0.lo;
        high.even = re1_0.hi; high.odd = im1_0.hi;
        { const VEC o = LOAD(0, at);
          low.even += beta.x * o.even - beta.y * o.odd;
          low.odd += beta.x * o.odd + beta.y * o.even; }
        { const VEC o = LOAD(1, at);
          high.even += beta.x * o.even - beta.y * o.odd;
          high.odd += beta.x * o.odd + beta.y * o.even; }
        STORE(low, 0, at); STORE(high, 1, at); }
    }
  } else {
    REAL t[16];
    KEEP(re0_0, t + 0);
    KEEP(im0_0, t + 8);
    KEEP(re1_0, t + 4);
    KEEP(im1_0, t + 12);
    for (int j = 0; j < min(columns, 2); ++j)
      for (int i = 0; i < min(rows, 4); ++i) {
        const long under = above + i - j;  // the diagonal
        if ((triangle == 1 && under < 0) || (triangle == 2 && under > 0)) continue;
        T value = (T)(t[j * 4 + i], t[8 + j * 4 + i]);
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
