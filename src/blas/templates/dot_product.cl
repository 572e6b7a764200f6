// The sum of the products x[i] y[i], those of conjugate(x[i]) where CONJUGATED.
// (A kernel may not have the name of the built-in function dot.)
#define PART T
#define RESULT T
inline PART nothing(void) { return zero(); }
inline PART join(PART a, PART b) { return a + b; }
inline RESULT outcome(PART sum) { return sum; }
#if CONJUGATED
#define FIRST(x) conjugate(x)
#else
#define FIRST(x) (x)
#endif

kernel void dot_product(long n, global const T* restrict x, long at_x, long inc_x,
                        global const T* restrict y, long at_y, long inc_y, global PART* partial,
                        global RESULT* result, long at_result) {
  x += at_x;
  y += at_y;
  T sum = zero();
#if UNIT_STRIDES
  global const REAL* restrict one = (global const REAL*)x;
  global const REAL* restrict other = (global const REAL*)y;
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(one) && IS_ALIGNED(other));
  V same[CHAINS], crossed[CHAINS];  // products of like parts, and of unlike ones
  FOR_CHAINS(k) same[k] = crossed[k] = (V)(0);
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) {
      const V v = load(one, VECTOR_OF(b, k, blocks)), w = load(other, VECTOR_OF(b, k, blocks));
      same[k] = fma(v, w, same[k]);
#if COMPLEX
      crossed[k] = fma(v, exchanged(w), crossed[k]);
#endif
    }
  const REAL2 likes = fold((same[0] + same[1]) + (same[2] + same[3]));
#if COMPLEX
  const REAL2 unlikes = fold((crossed[0] + crossed[1]) + (crossed[2] + crossed[3]));
#if CONJUGATED
  sum = (T)(likes.x + likes.y, unlikes.x - unlikes.y);
#else
  sum = (T)(likes.x - likes.y, unlikes.x + unlikes.y);
#endif
#else
  sum = likes.x + likes.y;
#endif
  x += blocks * BLOCK;
  y += blocks * BLOCK;
  FOR_MINE(i, n - blocks * BLOCK) sum = mul_add(FIRST(x[i]), y[i], sum);
#else
  T sums[CHAINS];
  FOR_CHAINS(k) sums[k] = zero();
  const long blocks = n / CHAINS;
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) {
      const long i = VECTOR_OF(b, k, blocks);
      sums[k] = mul_add(FIRST(x[i * inc_x]), y[i * inc_y], sums[k]);
    }
  sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  x += blocks * CHAINS * inc_x;
  y += blocks * CHAINS * inc_y;
  FOR_MINE(i, n - blocks * CHAINS) sum = mul_add(FIRST(x[i * inc_x]), y[i * inc_y], sum);
#endif
  CONCLUDE(sum)
}
AND_END(dot_product)
