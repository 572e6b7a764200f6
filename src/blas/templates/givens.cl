// Level 1: what makes plane rotations, from single numbers.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== rotg =====
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
//===== rotmg =====
// The modified rotation (Lawson 1979): H, as rotm takes it, that makes the second element of
// H (sqrt(d1) x1, sqrt(d2) y1) zero, with d1, d2 and x1 for the next one. Where d1 and d2 leave
// [2^-24, 2^24] they and H are scaled by powers of 2^12; H is then given in full. A negative d1, or
// a d2 that would need an imaginary rotation, gives zeros throughout. Elements of param that the
// flag implies are not written.
#define SCALE ((T)4096)
#define MOST (SCALE * SCALE)

typedef struct {
  T flag, h11, h21, h12, h22;
} Rotation;

// Writes the elements that the flag implies, so that they can be scaled.
inline Rotation in_full(Rotation h) {
  if (h.flag == 0) h.h11 = h.h22 = 1;
  if (h.flag > 0) {
    h.h12 = 1;
    h.h21 = -1;
  }
  h.flag = -1;
  return h;
}
// By what a weight must be multiplied to come nearer to the range; 1 where it is there. What cannot
// be brought there (zero, infinity, NaN) stays.
inline T step_for(T d) {
  if (d == 0 || !isfinite(d)) return 1;
  return fabs(d) <= 1 / MOST ? MOST : fabs(d) >= MOST ? 1 / MOST : (T)1;
}

kernel void rotmg(global T* d1_at, long offset_d1, global T* d2_at, long offset_d2,
                  global T* x1_at, long offset_x1, global const T* y1_at, long offset_y1,
                  global T* param, long at_param) {
  T d1 = d1_at[offset_d1], d2 = d2_at[offset_d2], x1 = x1_at[offset_x1];
  const T y1 = y1_at[offset_y1];
  param += at_param;
  const T p1 = d1 * x1, p2 = d2 * y1;
  const T q1 = p1 * x1, q2 = p2 * y1;
  if (!(d1 < 0) && p2 == 0) {  // nothing to turn
    param[0] = -2;
    return;
  }
  Rotation h = {-1, 0, 0, 0, 0};
  bool possible = !(d1 < 0);
  if (possible && fabs(q1) > fabs(q2)) {
    h.h21 = -y1 / x1;
    h.h12 = p2 / p1;
    const T u = 1 - h.h12 * h.h21;
    possible = u > 0;
    h.flag = 0;
    d1 /= u;
    d2 /= u;
    x1 *= u;
  } else if (possible) {
    possible = !(q2 < 0);
    h.h11 = p1 / p2;
    h.h22 = x1 / y1;
    const T u = 1 + h.h11 * h.h22, turned = d2 / u;
    h.flag = 1;
    d2 = d1 / u;
    d1 = turned;
    x1 = y1 * u;
  }
  if (!possible) {
    h.flag = -1;
    h.h11 = h.h21 = h.h12 = h.h22 = 0;
    d1 = d2 = x1 = 0;
  }
  for (T step = step_for(d1); step != 1; step = step_for(d1)) {
    h = in_full(h);
    const T root = step > 1 ? 1 / SCALE : SCALE;
    d1 *= step;
    x1 *= root;
    h.h11 *= root;
    h.h12 *= root;
  }
  for (T step = step_for(d2); step != 1; step = step_for(d2)) {
    h = in_full(h);
    const T root = step > 1 ? 1 / SCALE : SCALE;
    d2 *= step;
    h.h21 *= root;
    h.h22 *= root;
  }
  d1_at[offset_d1] = d1;
  d2_at[offset_d2] = d2;
  x1_at[offset_x1] = x1;
  param[0] = h.flag;
  if (h.flag != 0) {
    param[1] = h.h11;
    param[4] = h.h22;
  }
  if (h.flag <= 0) {
    param[2] = h.h21;
    param[3] = h.h12;
  }
}
