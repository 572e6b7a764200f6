// x = alpha x, alpha real where REAL_ALPHA (csscal, zdscal). Every element is multiplied, as in
// reference BLAS: an alpha of 0 leaves NaN where x was NaN or infinite.
#if REAL_ALPHA
#define SCALAR REAL
#define SCALED(x) (alpha * (x))
#define SCALED_VECTOR(v) (alpha * (v))
#else
#define SCALAR T
#define SCALED(x) mul(alpha, x)
#define SCALED_VECTOR(v) times(a, v)
#endif

kernel void scal(long n, SCALAR alpha, global T* x, long at_x, long inc_x) {
  x += at_x;
#if UNIT_STRIDES
  global REAL* to = (global REAL*)x;
#if !REAL_ALPHA
  const Factor a = factor(alpha);
#endif
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(to));
  FOR_MINE(b, blocks) {
    V scaled[CHAINS];
    FOR_CHAINS(k)
      scaled[k] = SCALED_VECTOR(load(to, VECTOR_OF(b, k, blocks)));
    FOR_CHAINS(k) store(scaled[k], to, VECTOR_OF(b, k, blocks));
  }
  x += blocks * BLOCK;
  FOR_MINE(i, n - blocks * BLOCK) x[i] = SCALED(x[i]);
#else
  FOR_MINE(i, n) x[i * inc_x] = SCALED(x[i * inc_x]);
#endif
}
