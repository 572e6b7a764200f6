// The modified rotation: (x, y) = H (x, y) with H from rotmg's five parameters. The first, the
// flag, says which elements of H the others give; those that it implies are 1 or -1, whatever lies
// in their place, and a flag of -2 means that x and y stay untouched.
kernel void rotm(long n, global T* restrict x, long at_x, long inc_x, global T* restrict y,
                 long at_y, long inc_y, global const T* restrict param, long at_param) {
  param += at_param;
  const T flag = param[0];
  if (flag == -2) return;
  const T h11 = flag == 0 ? (T)1 : param[1], h21 = flag > 0 ? (T)-1 : param[2];
  const T h12 = flag > 0 ? (T)1 : param[3], h22 = flag == 0 ? (T)1 : param[4];
  x += at_x;
  y += at_y;
#if UNIT_STRIDES
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(x) && IS_ALIGNED(y));
  FOR_MINE(b, blocks) {
    V v[CHAINS], w[CHAINS];
    FOR_CHAINS(k) {
      v[k] = load(x, VECTOR_OF(b, k, blocks));
      w[k] = load(y, VECTOR_OF(b, k, blocks));
    }
    FOR_CHAINS(k) {
      store(fma((V)(h11), v[k], h12 * w[k]), x, VECTOR_OF(b, k, blocks));
      store(fma((V)(h22), w[k], h21 * v[k]), y, VECTOR_OF(b, k, blocks));
    }
  }
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  n -= blocks * BLOCK;
  inc_x = inc_y = 1;
#endif
  FOR_MINE(i, n) {
    const T v = x[i * inc_x], w = y[i * inc_y];
    x[i * inc_x] = fma(h11, v, h12 * w);
    y[i * inc_y] = fma(h22, w, h21 * v);
  }
}
