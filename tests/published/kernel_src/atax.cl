// y = transpose(A) * (A * x), in two launches. Both add to what their result buffer holds, as the
// published pair does, so the buffer has to start at zero.

// tmp += A * x, one row a work-item.
kernel void atax_kernel1(global const float *a, global const float *x, global float *tmp, int rows,
                         int columns) {
  const int i = (int)get_global_id(0);
  if (i >= rows) return;

  for (int j = 0; j < columns; ++j) tmp[i] += a[i * columns + j] * x[j];
}

// y += transpose(A) * tmp, one column a work-item.
kernel void atax_kernel2(global const float *a, global const float *tmp, global float *y, int rows,
                         int columns) {
  const int j = (int)get_global_id(0);
  if (j >= columns) return;

  for (int i = 0; i < rows; ++i) y[j] += a[i * columns + j] * tmp[i];
}
