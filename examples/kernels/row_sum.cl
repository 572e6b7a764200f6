// A reduction that needs no other work-item: each sums up a row of its own.
//
// Work-item i reads row i and writes element i, so a device that has the rows from 100 to 199 needs
// nothing else. The `break` marks in the specification file say so; Kiln sends slices once
// `kiln verify` has seen that it is true.

kernel void row_sum(global const float *matrix, global float *sums, int columns) {
  const size_t row = get_global_id(0);
  float sum = 0.0f;
  for (int x = 0; x < columns; ++x) sum += matrix[row * columns + x];
  sums[row] = sum;
}
