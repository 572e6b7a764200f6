// y = alpha x + y
kernel void axpy(long n, T alpha, global const T* restrict x, long offset_x, long inc_x,
                 global T* restrict y, long offset_y, long inc_y) {
  x += offset_x;
  y += offset_y;
  FOR_MINE(i, n) {
    const long at = place(i, n, inc_y);
    y[at] = mul_add(alpha, x[place(i, n, inc_x)], y[at]);
  }
}
