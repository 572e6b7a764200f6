#define PRECISION c
#define ON_CPU 1
#define NATIVE_FLOATS 16
#define GROUP 1
#define UNIT_STRIDES 1
<prelude>
<vectors>
<reduction>
// The sum of |x[i]|, of |re| + |im| where T is complex. NaN where there is one.
#define PART REAL
#define RESULT REAL
inline PART nothing(void) { return 0; }
inline PART join(PART a, PART b) { return a + b; }
inline RESULT outcome(PART sum) { return sum; }

kernel void asum(long n, global const T* restrict x, long at_x, long inc_x, global PART* partial,
                 global RESULT* result, long at_result) {
  x += at_x;
  REAL sum = 0;
#if UNIT_STRIDES || ON_CPU
  const long blocks = BLOCKS_OF(n, IS_ALIGNED(x));
  V sums[CHAINS];
  FOR_CHAINS(k) sums[k] = (V)(0);
  FOR_MINE(b, blocks)
    FOR_CHAINS(k) sums[k] += fabs(VECTOR_AT(x, VECTOR_OF(b, k, blocks), inc_x));
  const REAL2 both = fold((sums[0] + sums[1]) + (sums[2] + sums[3]));
  sum = both.x + both.y;
  x += blocks * BLOCK * inc_x;
  n -= blocks * BLOCK;
#endif
  FOR_MINE(i, n) sum += SIZE_OF(x[i * inc_x]);
  CONCLUDE(sum)
}
AND_END(asum)
