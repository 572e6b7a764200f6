// Sum of two vectors, one element a work-item.

kernel void VectorAdd(global const float *a, global const float *b, global float *sum, int count) {
  const int i = (int)get_global_id(0);
  // The global size may be rounded up by whoever launches, so the count decides, not the grid.
  if (i < count) sum[i] = a[i] + b[i];
}
