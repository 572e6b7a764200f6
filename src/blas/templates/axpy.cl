// y = alpha x + y
kernel void axpy(long n, T alpha, global const T* restrict x, long at_x, long inc_x,
                 global T* restrict y, long at_y, long inc_y) {
  x += at_x;
  y += at_y;
#if UNIT_STRIDES
  global const REAL* restrict from = (global const REAL*)x;
  global REAL* restrict to = (global REAL*)y;
  const Factor a = factor(alpha);
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(from) && IS_ALIGNED(to));
  FOR_MINE(b, blocks) {
    V sum[CHAINS];
    FOR_CHAINS(k) {
      const long i = VECTOR_OF(b, k, blocks);
      sum[k] = times_add(a, load(from, i), load(to, i));
    }
    FOR_CHAINS(k) store(sum[k], to, VECTOR_OF(b, k, blocks));
  }
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  FOR_MINE(i, n - blocks * BLOCK) y[i] = mul_add(alpha, x[i], y[i]);
#else
  FOR_MINE(i, n) y[i * inc_y] = mul_add(alpha, x[i * inc_x], y[i * inc_y]);
#endif
}
