// Matrix times vector, result[row] = sum over x of matrix[row][x] * vector[x], in three ways.

// One work-item a row. Neighbouring work-items read a whole row apart, hence "uncoalesced".
kernel void MatVecMulUncoalesced1(global const float *matrix, global const float *vector,
                                  uint width, uint height, global float *result) {
  const uint row = (uint)get_global_id(0);
  if (row >= height) return;

  float sum = 0.0f;
  for (uint x = 0; x < width; ++x) sum += matrix[row * width + x] * vector[x];
  result[row] = sum;
}

// This work-item's part of a row: every local-size-th product, so that the group reads neighbours.
float strided_dot(global const float *row, global const float *vector, uint width) {
  float sum = 0.0f;
  for (uint x = (uint)get_local_id(0); x < width; x += (uint)get_local_size(0))
    sum += row[x] * vector[x];
  return sum;
}

// One work-group a row, and on to the next rows until all are done. The partial sums meet in a tree
// whose stride doubles. A partner may lie beyond the group where its size is no power of two.
kernel void MatVecMulCoalesced1(global const float *matrix, global const float *vector, uint width,
                                uint height, global float *result, local float *partial) {
  const uint id = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  for (uint row = (uint)get_group_id(0); row < height; row += (uint)get_num_groups(0)) {
    partial[id] = strided_dot(matrix + row * width, vector, width);
    for (uint stride = 1; stride < size; stride *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint slot = 2 * stride * id;
      if (slot + stride < size) partial[slot] += partial[slot + stride];
    }
    if (id == 0) result[row] = partial[0];
    // The next row reuses the local memory.
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// The same with a stride that halves, so that the working items stay together. Rounding the half up
// keeps the middle element of an odd count for the next round.
kernel void MatVecMulCoalesced2(global const float *matrix, global const float *vector, uint width,
                                uint height, global float *result, local float *partial) {
  const uint id = (uint)get_local_id(0);
  for (uint row = (uint)get_group_id(0); row < height; row += (uint)get_num_groups(0)) {
    partial[id] = strided_dot(matrix + row * width, vector, width);
    for (uint left = (uint)get_local_size(0); left > 1;) {
      const uint half_way = (left + 1) / 2;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (id + half_way < left) partial[id] += partial[id + half_way];
      left = half_way;
    }
    if (id == 0) result[row] = partial[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
