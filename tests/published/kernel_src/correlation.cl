// The steps of a correlation matrix: mean and standard deviation of each column, centring and
// scaling of the data, and the products of all pairs of columns.
// Columns are the variables, rows are the observations, and a row has `columns` elements.

kernel void mean_kernel(global const float *data, global float *mean, float divisor, int columns,
                        int rows) {
  const int j = (int)get_global_id(0);
  if (j >= columns) return;

  float sum = 0.0f;
  for (int i = 0; i < rows; ++i) sum += data[i * columns + j];
  mean[j] = sum / divisor;
}

// A column that hardly varies gets a deviation of 1, so that scaling does not blow it up.
kernel void std_kernel(global const float *mean, global const float *data, global float *deviation,
                       float divisor, float epsilon, int columns, int rows) {
  const int j = (int)get_global_id(0);
  if (j >= columns) return;

  float sum = 0.0f;
  for (int i = 0; i < rows; ++i) {
    const float distance = data[i * columns + j] - mean[j];
    sum += distance * distance;
  }
  const float root = sqrt(sum / divisor);
  deviation[j] = root <= epsilon ? 1.0f : root;
}

// Centres and scales in place. Dimension 0 is the column.
kernel void reduce_kernel(global const float *mean, global const float *deviation,
                          global float *data, float divisor, int columns, int rows) {
  const int j = (int)get_global_id(0);
  const int i = (int)get_global_id(1);
  if (j >= columns || i >= rows) return;

  data[i * columns + j] -= mean[j];
  data[i * columns + j] /= sqrt(divisor) * deviation[j];
}

// One work-item makes row `first` of the upper triangle and mirrors it, so each element of the
// symmetric matrix has one writer although a work-item writes all over the lower triangle.
kernel void corr_kernel(global const float *data, global float *symmetric, int columns, int rows) {
  const int first = (int)get_global_id(0);
  if (first >= columns) return;

  symmetric[first * columns + first] = 1.0f;
  for (int second = first + 1; second < columns; ++second) {
    float sum = 0.0f;
    for (int i = 0; i < rows; ++i) sum += data[i * columns + first] * data[i * columns + second];
    symmetric[first * columns + second] = sum;
    symmetric[second * columns + first] = symmetric[first * columns + second];
  }
}
