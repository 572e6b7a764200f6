// b = the transpose of a (n x n, by rows). A work-group of GX x GY items takes a tile of TM rows and
// TN columns: through local memory (STAGE 1; PAD numbers between its rows keep the banks apart), or
// straight, along the rows of a (STAGE 0) or along those of b (STAGE 2).
__kernel void transpose(__global const float *a, __global float *b, int n) {
  const int x = get_local_id(0), y = get_local_id(1);
  const int row = get_group_id(1) * TM, column = get_group_id(0) * TN;
#if STAGE == 1
  __local float tile[TM * (TN + PAD)];
#pragma unroll
  for (int r = y; r < TM; r += GY)
#pragma unroll
    for (int c = x; c < TN; c += GX)
      tile[r * (TN + PAD) + c] = a[(row + r) * n + column + c];
  barrier(CLK_LOCAL_MEM_FENCE);
  // The items as one row, so that neighbours write neighbours whatever the tile's shape.
  for (int i = y * GX + x; i < TM * TN; i += GX * GY)
    b[(column + i / TM) * n + row + i % TM] = tile[(i % TM) * (TN + PAD) + i / TM];
#elif STAGE == 0
  for (int r = y; r < TM; r += GY)
    for (int c = x; c < TN; c += GX) b[(column + c) * n + row + r] = a[(row + r) * n + column + c];
#else
  for (int c = y; c < TN; c += GY)
    for (int r = x; r < TM; r += GX) b[(column + c) * n + row + r] = a[(row + r) * n + column + c];
#endif
}
