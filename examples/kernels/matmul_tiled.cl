// Local memory: a work-group loads a tile once, and all its work-items use it.
//
// TS, the side of a tile, is a macro and the local size at the same time; the specification file
// says it once, as a symbol. Work-groups never share a tile, so any cut between work-groups is
// right. Note the ids: the place in the grid comes from get_global_id and get_local_id alone.

kernel void matmul_tiled(global const float *a, global const float *b, global float *c, int n) {
  local float tile_a[TS][TS];
  local float tile_b[TS][TS];
  const int column = (int)get_global_id(0);
  const int row = (int)get_global_id(1);
  const int x = (int)get_local_id(0);
  const int y = (int)get_local_id(1);

  float sum = 0.0f;
  for (int k = 0; k < n; k += TS) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);  // all loads before the first use
    for (int i = 0; i < TS; ++i) sum += tile_a[y][i] * tile_b[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);  // all uses before the next load
  }
  c[row * n + column] = sum;
}
