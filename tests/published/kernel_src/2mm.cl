// Two matrix products in a row, tmp += A * B and result += tmp * D. Both add to what their result
// holds, as the published pair does, so it has to start at zero. Dimension 0 is the column.

kernel void mm2_kernel1(global const float *a, global const float *b, global float *tmp, int rows,
                        int columns, int depth) {
  const int column = (int)get_global_id(0);
  const int row = (int)get_global_id(1);
  if (row >= rows || column >= columns) return;

  float sum = tmp[row * columns + column];
  for (int k = 0; k < depth; ++k) sum += a[row * depth + k] * b[k * columns + column];
  tmp[row * columns + column] = sum;
}

// The arguments come in another order here: the depth is the width of the first product.
kernel void mm2_kernel2(global const float *tmp, global const float *d, global float *result,
                        int rows, int depth, int columns) {
  const int column = (int)get_global_id(0);
  const int row = (int)get_global_id(1);
  if (row >= rows || column >= columns) return;

  float sum = result[row * columns + column];
  for (int k = 0; k < depth; ++k) sum += tmp[row * depth + k] * d[k * columns + column];
  result[row * columns + column] = sum;
}
