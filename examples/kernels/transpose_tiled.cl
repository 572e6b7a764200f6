// A local argument: the host gives its size, the kernel gets an array that a work-group shares.
//
// The tile turns on its way through local memory, so that both the reads and the writes run along
// rows. A tile's corner is global id minus local id. That is what get_group_id times the tile's
// side would give as well, but only on one device: group numbers start again at 0 on each.

kernel void transpose_tiled(global const float *in, global float *out, int n, local float *tile) {
  const int x = (int)get_local_id(0);
  const int y = (int)get_local_id(1);
  const int corner_x = (int)get_global_id(0) - x;
  const int corner_y = (int)get_global_id(1) - y;

  // One column more than needed: work-items that read down a column meet different memory banks.
  tile[y * (TILE + 1) + x] = in[(corner_y + y) * n + corner_x + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(corner_x + y) * n + corner_y + x] = tile[x * (TILE + 1) + y];
}
