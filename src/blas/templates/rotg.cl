// The plane rotation (c, s; -conjugate(s), c) (a, b) = (r, 0), c real. a becomes r. For real
// numbers b becomes z, from which c and s can be had again (Lawson 1979): s where |a| > |b|, else
// 1 / c, or 1 where c is 0; for complex ones b stays. Complex a = 0 gives c = 0, s = 1, r = b, as
// the first reference had it. Numbers are divided by the largest of their parts before they are
// squared, so that nothing overflows or underflows but what c, s and r must. NaN gives NaN.
#if DOUBLE
#define LEAST 0x1p-1022
#define MOST 0x1p1022
#else
#define LEAST 0x1p-126f
#define MOST 0x1p126f
#endif

#if COMPLEX
inline REAL largest_part(T a) { return fmax(fabs(a.x), fabs(a.y)); }
inline REAL square(T a) { return fma(a.x, a.x, a.y * a.y); }
#else
inline REAL largest_part(T a) { return fabs(a); }
inline REAL square(T a) { return a * a; }
#endif

kernel void rotg(global T* a_at, long offset_a, global T* b_at, long offset_b, global REAL* c_at,
                 long offset_c, global T* s_at, long offset_s) {
  const T a = a_at[offset_a], b = b_at[offset_b];
  REAL c = 1;
  T s = zero(), r = a, z = zero();
  if (is_zero(a) && !is_zero(b)) {
    c = 0;
    s = z = one();
    r = b;
  } else if (!is_zero(b)) {
    const REAL scale = clamp(fmax(largest_part(a), largest_part(b)), (REAL)LEAST, (REAL)MOST);
    const T f = a / scale, g = b / scale;
    const REAL length = sqrt(square(f) + square(g));
#if COMPLEX
    // f may have underflowed: a's direction and length are found on a scale of their own.
    const T near = a / largest_part(a);
    const REAL near_length = sqrt(square(near));
    const T direction = near / near_length;
    c = near_length * (largest_part(a) / scale) / length;
    s = mul(direction, conjugate(g)) / length;
    r = direction * length * scale;
#else
    const REAL signed_length = copysign(length, fabs(a) > fabs(b) ? a : b);
    c = f / signed_length;
    s = g / signed_length;
    r = signed_length * scale;
    z = fabs(a) > fabs(b) ? s : c == 0 ? 1 : 1 / c;
#endif
  }
  a_at[offset_a] = r;
#if !COMPLEX
  b_at[offset_b] = z;
#endif
  c_at[offset_c] = c;
  s_at[offset_s] = s;
}
