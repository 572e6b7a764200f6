// A task whose result is smaller than what it reads: the largest number of each row. Where no task
// reads it, it is a result of the graph.

kernel void largest(global const float *block, global float *rows, int columns) {
  const size_t row = get_global_id(0);
  float found = block[row * columns];
  for (int column = 1; column < columns; ++column)
    found = fmax(found, block[row * columns + column]);
  rows[row] = found;
}
