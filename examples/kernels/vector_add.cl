// One work-item, one element: the smallest complete kernel.
//
// get_global_id(0) says which element is ours. On two devices Kiln gives each one a range of ids out
// of the same grid, so this line needs no change for a split.

kernel void vector_add(global const float *a, global const float *b, global float *sum, int count) {
  const int i = (int)get_global_id(0);
  if (i < count) sum[i] = a[i] + b[i];
}
