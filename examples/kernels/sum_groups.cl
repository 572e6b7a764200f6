// A kernel that must not be split: work-groups add up their elements and write by group number.
//
// Group numbers start at 0 on every device, so two devices would both write sums[0]. Kiln finds
// get_group_id in the source, says so, and runs it on one device. Compare transpose_tiled.cl.

kernel void sum_groups(global const float *values, global float *sums, local float *partial) {
  const uint id = (uint)get_local_id(0);
  partial[id] = values[get_global_id(0)];
  // Halving with the half rounded up is right for any group size, not only for powers of two.
  for (uint left = (uint)get_local_size(0); left > 1;) {
    const uint half_way = (left + 1) / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id + half_way < left) partial[id] += partial[id + half_way];
    left = half_way;
  }
  if (id == 0) sums[get_group_id(0)] = partial[0];
}
