// (x, y) = (c x + s y, c y - s x), the plane rotation; c and s are real, and where T is complex
// their imaginary parts are not looked at.
kernel void rot(long n, T c_given, T s_given, global T* restrict x, long at_x, long inc_x,
                global T* restrict y, long at_y, long inc_y) {
#if COMPLEX
  const REAL c = c_given.x, s = s_given.x;
#else
  const REAL c = c_given, s = s_given;
#endif
  x += at_x;
  y += at_y;
#if UNIT_STRIDES
  global REAL* restrict one = (global REAL*)x;
  global REAL* restrict other = (global REAL*)y;
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(one) && IS_ALIGNED(other));
  FOR_MINE(b, blocks) {
    V v[CHAINS], w[CHAINS];
    FOR_CHAINS(k) {
      v[k] = load(one, VECTOR_OF(b, k, blocks));
      w[k] = load(other, VECTOR_OF(b, k, blocks));
    }
    FOR_CHAINS(k) {
      store(fma((V)(c), v[k], s * w[k]), one, VECTOR_OF(b, k, blocks));
      store(fma((V)(c), w[k], -s * v[k]), other, VECTOR_OF(b, k, blocks));
    }
  }
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  n -= blocks * BLOCK;
  inc_x = inc_y = 1;
#endif
  FOR_MINE(i, n) {
    const T v = x[i * inc_x], w = y[i * inc_y];
    x[i * inc_x] = fma((T)(c), v, s * w);
    y[i * inc_y] = fma((T)(c), w, -s * v);
  }
}
