// C = A + B

kernel void matrix_sum(global const float *a, global const float *b, global float *c, int n) {
  const int i = get_global_id(1) * n + get_global_id(0);
  c[i] = a[i] + b[i];
}
