// The two products of a step of the bi-conjugate gradient method: q = A * p, s = transpose(A) * r.

kernel void bicgKernel1(global const float *a, global const float *p, global float *q, int rows,
                        int columns) {
  const int i = (int)get_global_id(0);
  if (i >= rows) return;

  float sum = 0.0f;
  for (int j = 0; j < columns; ++j) sum += a[i * columns + j] * p[j];
  q[i] = sum;
}

kernel void bicgKernel2(global const float *a, global const float *r, global float *s, int rows,
                        int columns) {
  const int j = (int)get_global_id(0);
  if (j >= columns) return;

  float sum = 0.0f;
  for (int i = 0; i < rows; ++i) sum += a[i * columns + j] * r[i];
  s[j] = sum;
}
