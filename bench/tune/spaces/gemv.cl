// y = A x, A of n x n by rows. GX items share a row, in pieces of VEC numbers, UNROLL pieces at a
// time; each takes ROWS rows at once, so that what is read of x serves them all; GY rows of items
// make a work-group.
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VEC == 1
#define piece float
#define load(from) (*(from))
#define sum_of(v) (v)
#else
#define piece JOIN(float, VEC)
#define load(from) JOIN(vload, VEC)(0, from)
#define sum2(v) ((v).x + (v).y)
#define sum4(v) (sum2((v).lo) + sum2((v).hi))
#define sum8(v) (sum4((v).lo) + sum4((v).hi))
#define sum16(v) (sum8((v).lo) + sum8((v).hi))
#define sum_of(v) JOIN(sum, VEC)(v)
#endif

__kernel void gemv(__global const float *a, __global const float *x, __global float *y, int n) {
  const int item = get_local_id(0), line = get_local_id(1);
  const int row = (get_group_id(1) * GY + line) * ROWS;
  piece sums[ROWS];
  for (int r = 0; r < ROWS; ++r) sums[r] = (piece)(0.0f);
  for (int k = item * VEC; k < n; k += GX * VEC * UNROLL) {
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const int at = k + u * GX * VEC;
      const piece factor = load(x + at);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) sums[r] += load(a + (row + r) * n + at) * factor;
    }
  }
#if GX == 1
  for (int r = 0; r < ROWS; ++r) y[row + r] = sum_of(sums[r]);
#else
  __local float shared[GY * ROWS * GX];
  for (int r = 0; r < ROWS; ++r) shared[(line * ROWS + r) * GX + item] = sum_of(sums[r]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = GX / 2; step > 0; step /= 2) {
    if (item < step)
      for (int r = 0; r < ROWS; ++r) {
        __local float *at = shared + (line * ROWS + r) * GX + item;
        at[0] += at[step];
      }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0)
    for (int r = 0; r < ROWS; ++r) y[row + r] = shared[(line * ROWS + r) * GX];
#endif
}
