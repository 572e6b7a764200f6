// C = A B for square matrices of n rows, row by row; each work-item makes 4 numbers of a row.

kernel void matrix_product(global const float *a, global const float *b, global float *c, int n) {
  const int column = get_global_id(0) * 4, row = get_global_id(1);
  float4 sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * vload4(0, b + k * n + column);
  vstore4(sum, 0, c + row * n + column);
}
