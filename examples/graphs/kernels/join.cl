// A task that waits for two others: both of its inputs are results of tasks.

kernel void join(global const float *left, global const float *right, global float *sum) {
  const size_t i = get_global_id(0);
  sum[i] = left[i] + right[i];
}
