// C = A B of n x n floats, row by row. A work-group computes a tile of TS x TS of C through local
// memory; each work-item WPT elements of one row of it.
#ifndef TS
#define TS 16
#endif
#ifndef WPT
#define WPT 1
#endif

kernel void multiply(global const float* a, global const float* b, global float* c, const int n) {
  local float tile_a[TS][TS], tile_b[TS][TS];
  const int x = get_local_id(0), y = get_local_id(1), step = TS / WPT;
  // Where the tile begins, without group numbers: on each device of a split run those start at 0.
  const int column = (get_global_id(0) - x) * WPT + x, row = get_global_id(1);
  float sums[WPT];
  for (int w = 0; w < WPT; ++w) sums[w] = 0;
  for (int k0 = 0; k0 < n; k0 += TS) {
    for (int w = 0; w < WPT; ++w) {
      tile_a[y][x + w * step] = a[row * n + k0 + x + w * step];
      tile_b[y][x + w * step] = b[(k0 + y) * n + column + w * step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TS; ++k)
      for (int w = 0; w < WPT; ++w)
        sums[w] = fma(tile_a[y][k], tile_b[k][x + w * step], sums[w]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int w = 0; w < WPT; ++w) c[row * n + column + w * step] = sums[w];
}
