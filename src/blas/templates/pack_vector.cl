// y = x, with any increments: strided vectors are laid side by side before a product.
kernel void pack_vector(long n, global const T *restrict x, long offset_x, long inc_x,
                        global T *restrict y, long offset_y, long inc_y) {
  x += offset_x;
  y += offset_y;
  FOR_MINE(i, n) y[place(i, n, inc_y)] = x[place(i, n, inc_x)];
}
