// y = alpha (sum of the parts + D x) + beta y: the end of products that were computed in parts. D
// is A's diagonal; which: 0 none of it, 1 as it is, 2 its real parts.
kernel void mv_sum(MATRIX, long diagonal, long parts, long part_step, global const T *part,
                   T alpha, T beta, global const T *x, long offset_x, global T *y,
                   long offset_y, long inc_y, long length) {
  x += offset_x;
  y += offset_y;
  FOR_MINE(i, length) {
    T sum = zero();
    for (long p = 0; p < parts; ++p) sum += part[p * part_step + i];
    if (diagonal) {
      T d = COLUMN(i)[i];
#if COMPLEX
      if (diagonal == 2) d.y = 0;
#endif
      sum = mul_add(d, x[i], sum);
    }
    put(y + place(i, length, inc_y), alpha, sum, beta);
  }
}
