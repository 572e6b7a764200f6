// B is A with rows and columns exchanged.

kernel void matrix_transpose(global const float *a, global float *b, int n) {
  const int column = get_global_id(0), row = get_global_id(1);
  b[column * n + row] = a[row * n + column];
}
