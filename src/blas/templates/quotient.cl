// b / a without overflow on the way to what is finite (Smith 1962).
inline T quotient(T b, T a) {
#if COMPLEX
  if (fabs(a.x) >= fabs(a.y)) {
    const REAL r = a.y / a.x, d = a.x + a.y * r;
    return (T)((b.x + b.y * r) / d, (b.y - b.x * r) / d);
  }
  const REAL r = a.x / a.y, d = a.x * r + a.y;
  return (T)((b.x * r + b.y) / d, (b.y * r - b.x) / d);
#else
  return b / a;
#endif
}
