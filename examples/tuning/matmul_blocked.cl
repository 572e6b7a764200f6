// A kernel with three knobs: the side of a tile in local memory (TS), how many rows of the result a
// work-item computes (WPT), and whether rows of the tiles are padded so that neighbours do not meet
// in one memory bank (PAD). matmul_blocked.json in the same folder says which values make sense.
//
// The grid has n columns and n / WPT rows of work-items; a work-group is TS wide and TS / WPT high.

kernel void matmul_blocked(global const float *a, global const float *b, global float *c, int n) {
  local float tile_a[TS][TS + PAD];
  local float tile_b[TS][TS + PAD];
  const int x = (int)get_local_id(0);
  const int y = (int)get_local_id(1);
  const int column = (int)get_global_id(0);
  const int first_row = (int)get_group_id(1) * TS;

  float sums[WPT];
  for (int w = 0; w < WPT; ++w) sums[w] = 0.0f;
  for (int k = 0; k < n; k += TS) {
    for (int w = 0; w < WPT; ++w) {
      const int row = y + w * (TS / WPT);
      tile_a[row][x] = a[(first_row + row) * n + k + x];
      tile_b[row][x] = b[(k + row) * n + column];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TS; ++i) {
      const float factor = tile_b[i][x];
      for (int w = 0; w < WPT; ++w) sums[w] += tile_a[y + w * (TS / WPT)][i] * factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int w = 0; w < WPT; ++w) c[(first_row + y + w * (TS / WPT)) * n + column] = sums[w];
}
