// C = alpha * A * B + beta * C, with A rows x depth, B depth x columns.
//
// The kernel is written for two dimensions; the published spec launches it with one, so that
// get_global_id(1) is 0 and only row 0 of C is made. That is the spec's meaning, and kept.

kernel void gemm(global const float *a, global const float *b, global float *c, float alpha,
                 float beta, int rows, int columns, int depth) {
  const int column = (int)get_global_id(0);
  const int row = (int)get_global_id(1);
  if (row >= rows || column >= columns) return;

  float sum = 0.0f;
  for (int k = 0; k < depth; ++k) sum += a[row * depth + k] * b[k * columns + column];
  c[row * columns + column] = alpha * sum + beta * c[row * columns + column];
}
