// x and y change places.
kernel void swap(long n, global T* restrict x, long at_x, long inc_x, global T* restrict y,
                 long at_y, long inc_y) {
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
      store(w[k], one, VECTOR_OF(b, k, blocks));
      store(v[k], other, VECTOR_OF(b, k, blocks));
    }
  }
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  FOR_MINE(i, n - blocks * BLOCK) {
    const T kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
#else
  FOR_MINE(i, n) {
    const T kept = x[i * inc_x];
    x[i * inc_x] = y[i * inc_y];
    y[i * inc_y] = kept;
  }
#endif
}
