// Products of all pairs of columns of centred data: the last step of a covariance matrix.
// One work-item makes a row of the upper triangle, diagonal included, and mirrors it.

kernel void covar_kernel(global const float *data, global float *symmetric, int columns, int rows) {
  const int first = (int)get_global_id(0);
  if (first >= columns) return;

  for (int second = first; second < columns; ++second) {
    float sum = 0.0f;
    for (int i = 0; i < rows; ++i) sum += data[i * columns + first] * data[i * columns + second];
    symmetric[first * columns + second] = sum;
    symmetric[second * columns + first] = sum;
  }
}
