#define PRECISION c
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
  VEC re0_0 = 0, im0_0 = 0;
  VEC re0_1 = 0, im0_1 = 0;
  VEC re1_0 = 0, im1_0 = 0;
  VEC re1_1 = 0, im1_1 = 0;
  a += (long)from * 32 * PARTS;
  b += (long)from * 2 * PARTS;
  for (int j = 0; j < min(columns, 2); ++j)
    for (int i = 0; i < 256; i += 64) WILL_WRITE((global const char*)(c + j * ld) + i);
  for (int k = from; k < to; ++k) {
    WILL_READ(next);
    next += step;
    const VEC ar0 = LOAD(0, a), ai0 = LOAD(0, a + 32);
    const VEC ar1 = LOAD(1, a), ai1 = LOAD(1, a + 32);
    { const VEC x = (VEC)(b[0]), y = (VEC)(b[2]);
      re0_0 = fma(ar0, x, re0_0); im0_0 = fma(ai0, x, im0_0);
      re0_0 = fma(-ai0, y, re0_0); im0_0 = fma(ar0, y, im0_0);
      re0_1 = fma(ar1, x, re0_1); im0_1 = fma(ai1, x, im0_1);
      re0_1 = fma(-ai1, y, re0_1); im0_1 = fma(ar1, y, im0_1);
    }
    { const VEC x = (VEC)(b[1]), y = (VEC)(b[3]);
      re1_0 = fma(ar0, x, re1_0); im1_0 = fma(ai0, x, im1_0);
      re1_0 = fma(-ai0, y, re1_0); im1_0 = fma(ar0, y, im1_0);
      re1_1 = fma(ar1, x, re1_1); im1_1 = fma(ai1, x, im1_1);
      re1_1 = fma(-ai1, y, re1_1); im1_1 = fma(ar1, y, im1_1);
    }
    a += 32 * PARTS;
    b += 2 * PARTS;
  }
  { const VEC r = re0_0; re0_0 = alpha.x * r - alpha.y * im0_0; im0_0 = alpha.x * im0_0 + alpha.y * r; }
  { const VEC r = re0_1; re0_1 = alpha.x * r - alpha.y * im0_1; im0_1 = alpha.x * im0_1 + alpha.y * r; }
  { const VEC r = re1_0; re1_0 = alpha.x * r - alpha.y * im1_0; im1_0 = alpha.x * im1_0 + alpha.y * r; }
  { const VEC r = re1_1; re1_1 = alpha.x * r - alpha.y * im1_1; im1_1 = alpha.x * im1_1 + alpha.y * r; }
  const bool whole = rows >= 32 && columns >= 2 &&
                     (triangle == 0 || (triangle == 1 ? above >= 1 : above <= -31));
  const bool off_diagonal = above >= 2 || above <= -32;
  if (whole && (hermitian == 0 || off_diagonal)) {
    if (is_zero(beta)) {
      { global REAL* at = (global REAL*)(c + 0 * ld + 0);
        VEC low, high;
        low.even = re0_0.lo; low.odd = im0_0.lo;
        high.even = re0_0.hi; high.odd = im0_0.hi;
        STORE(low, 0, at); STORE(high, 1, at); }
      { global REAL* at = (global REAL*)(c + 0 * ld + 16);
        VEC low, high;
        low.even = re0_1.lo; low.odd = im0_1.lo;
        high.even = re0_1.hi; high.odd = im0_1.hi;
        STORE(low, 0, at); STORE(high, 1, at); }
      { global REAL* at = (global REAL*)(c + 1 * ld + 0);
        VEC low, high;
        low.even = re1_0.lo; low.odd = im1_0.lo;
        high.even = re1_0.hi; high.odd = im1_0.hi;
        STORE(low, 0, at); STORE(high, 1, at); }
      { global REAL* at = (global REAL*)(c + 1 * ld + 16);
        VEC low, high;
        low.even = re1_1.lo; low.odd = im1_1.lo;
        high.even = re1_1.hi; high.odd = im1_1.hi;
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
      { global REAL* at = (global REAL*)(c + 0 * ld + 16);
        VEC low, high;
        low.even = re0_1.lo; low.odd = im0_1.lo;
        high.even = re0_1.hi; high.odd = im0_1.hi;
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
      { global REAL* at = (global REAL*)(c + 1 * ld + 16);
        VEC low, high;
        low.even = re1_1.lo; low.odd = im1_1.lo;
        high.even = re1_1.hi; high.odd = im1_1.hi;
        { const VEC o = LOAD(0, at);
          low.even += beta.x * o.even - beta.y * o.odd;
          low.odd += beta.x * o.odd + beta.y * o.even; }
        { const VEC o = LOAD(1, at);
          high.even += beta.x * o.even - beta.y * o.odd;
          high.odd += beta.x * o.odd + beta.y * o.even; }
        STORE(low, 0, at); STORE(high, 1, at); }
    }
  } else {
    REAL t[128];
    KEEP(re0_0, t + 0);
    KEEP(im0_0, t + 64);
    KEEP(re0_1, t + 16);
    KEEP(im0_1, t + 80);
    KEEP(re1_0, t + 32);
    KEEP(im1_0, t + 96);
    KEEP(re1_1, t + 48);
    KEEP(im1_1, t + 112);
    for (int j = 0; j < min(columns, 2); ++j)
      for (int i = 0; i < min(rows, 32); ++i) {
        const long under = above + i - j;  // the diagonal
        if ((triangle == 1 && under < 0) || (triangle == 2 && under > 0)) continue;
        T value = (T)(t[j * 32 + i], t[64 + j * 32 + i]);
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
