// y = alpha (sum of the parts + D x) + beta y: the end of products that were computed in parts. D
// is A's diagonal; which: 0 none of it, 1 as it is, 2 its real parts.
#if ON_CPU
#define TOGETHER 64  // elements: side by side in vectors, and each part is read by whole lines
#else
#define TOGETHER 1
#endif

kernel void mv_sum(MATRIX, long diagonal, long parts, long part_step, global const T *part,
                   T alpha, T beta, global const T *x, long offset_x, global T *y,
                   long offset_y, long inc_y, long length) {
  x += offset_x;
  y += offset_y;
  FOR_MINE(block, (length + TOGETHER - 1) / TOGETHER) {
    const long i0 = block * TOGETHER;
    const int here = (int)min((long)TOGETHER, length - i0);
    T sums[TOGETHER];
    for (int j = 0; j < here; ++j) sums[j] = zero();
    for (long p = 0; p < parts; ++p) {
      global const T *from = part + p * part_step + i0;
      for (int j = 0; j < here; ++j) sums[j] += from[j];
    }
    for (int j = 0; j < here; ++j) {
      const long i = i0 + j;
      if (diagonal) {
        T d = COLUMN(i)[i];
#if COMPLEX
        if (diagonal == 2) d.y = 0;
#endif
        sums[j] = mul_add(d, x[i], sums[j]);
      }
      put(y + place(i, length, inc_y), alpha, sums[j], beta);
    }
  }
}
