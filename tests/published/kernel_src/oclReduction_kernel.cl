// A sum in seven steps of refinement. Each work-group leaves one partial sum in out[group]; adding
// those up is another launch's (or the host's) work. reduce0 to reduce2 take one element a
// work-item; reduce3 to reduce6 take two, so that the later half of the groups finds nothing and
// leaves 0. All are right for any work-group size, not only for powers of two.

// The number of elements that a tree over `size` slots folds onto first: the largest power of two
// below the size, or 0 for a single slot.
uint first_stride(uint size) {
  uint stride = 0;
  for (uint next = 1; next < size; next *= 2) stride = next;
  return stride;
}

// One round of a tree: slot id takes slot id + stride, where both exist.
void fold(local float *slots, uint id, uint stride, uint size) {
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id < stride && id + stride < size) slots[id] += slots[id + stride];
}

// Element i, or nothing where the input has ended.
float element(global const float *in, uint i, uint count) { return i < count ? in[i] : 0.0f; }

// Sum of this work-item's two elements, a work-group's width apart.
float two_elements(global const float *in, uint count) {
  const uint size = (uint)get_local_size(0);
  const uint i = (uint)get_group_id(0) * size * 2 + (uint)get_local_id(0);
  return element(in, i, count) + element(in, i + size, count);
}

// Neighbours first: the active items lie ever further apart, found by a remainder.
kernel void reduce0(global const float *in, global float *out, uint count, local float *slots) {
  const uint id = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  slots[id] = element(in, (uint)get_global_id(0), count);
  for (uint stride = 1; stride < size; stride *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id % (2 * stride) == 0 && id + stride < size) slots[id] += slots[id + stride];
  }
  if (id == 0) out[get_group_id(0)] = slots[0];
}

// The same tree, but the first items do the work, without a division.
kernel void reduce1(global const float *in, global float *out, uint count, local float *slots) {
  const uint id = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  slots[id] = element(in, (uint)get_global_id(0), count);
  for (uint stride = 1; stride < size; stride *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint slot = 2 * stride * id;
    if (slot + stride < size) slots[slot] += slots[slot + stride];
  }
  if (id == 0) out[get_group_id(0)] = slots[0];
}

// Far partners first: consecutive items touch consecutive slots.
kernel void reduce2(global const float *in, global float *out, uint count, local float *slots) {
  const uint id = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  slots[id] = element(in, (uint)get_global_id(0), count);
  for (uint stride = first_stride(size); stride > 0; stride /= 2) fold(slots, id, stride, size);
  if (id == 0) out[get_group_id(0)] = slots[0];
}

// The first addition happens on the way in, so no item is idle from the start.
kernel void reduce3(global const float *in, global float *out, uint count, local float *slots) {
  const uint id = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  slots[id] = two_elements(in, count);
  for (uint stride = first_stride(size); stride > 0; stride /= 2) fold(slots, id, stride, size);
  if (id == 0) out[get_group_id(0)] = slots[0];
}

// The last six rounds are written out. Barriers stay: that 32 items run in step is one vendor's
// property, not OpenCL's.
void fold_last_64(local float *slots, uint id, uint size) {
  fold(slots, id, 32, size);
  fold(slots, id, 16, size);
  fold(slots, id, 8, size);
  fold(slots, id, 4, size);
  fold(slots, id, 2, size);
  fold(slots, id, 1, size);
}

kernel void reduce4(global const float *in, global float *out, uint count, local float *slots) {
  const uint id = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  slots[id] = two_elements(in, count);
  for (uint stride = first_stride(size); stride > 32; stride /= 2) fold(slots, id, stride, size);
  fold_last_64(slots, id, size);
  if (id == 0) out[get_group_id(0)] = slots[0];
}

// All usual rounds are written out; the loop is for groups of more than 1024 items. A round that a
// small group does not need does nothing but its barrier: leaving it out would put barriers under
// conditions, each of which doubles the work of a compiler that turns work-groups into loops.
void fold_all(local float *slots, uint id, uint size) {
  for (uint stride = first_stride(size); stride > 512; stride /= 2) fold(slots, id, stride, size);
  fold(slots, id, 512, size);
  fold(slots, id, 256, size);
  fold(slots, id, 128, size);
  fold(slots, id, 64, size);
  fold_last_64(slots, id, size);
}

kernel void reduce5(global const float *in, global float *out, uint count, local float *slots) {
  const uint id = (uint)get_local_id(0);
  slots[id] = two_elements(in, count);
  fold_all(slots, id, (uint)get_local_size(0));
  if (id == 0) out[get_group_id(0)] = slots[0];
}

// As many elements an item as it takes: the whole grid strides over the input.
kernel void reduce6(global const float *in, global float *out, uint count, local float *slots) {
  const uint id = (uint)get_local_id(0);
  const uint size = (uint)get_local_size(0);
  float sum = 0.0f;
  for (uint i = (uint)get_group_id(0) * size * 2 + id; i < count;
       i += size * 2 * (uint)get_num_groups(0))
    sum += in[i] + element(in, i + size, count);
  slots[id] = sum;
  fold_all(slots, id, size);
  if (id == 0) out[get_group_id(0)] = slots[0];
}
