// Copies a matrix into panels for a GPU: panel p holds rows p * WIDTH to (p + 1) * WIDTH - 1,
// column by column, with zeros where the matrix has ended (below, and on the right up to `padded`
// columns). Which element is what says matrix_element.cl. Included once for each kind of panel.
//
// A work-group of THREADS work-items copies a square of 32 x 32 by way of local memory, so that it reads and writes side
// by side whichever way the matrix lies.
kernel __attribute__((reqd_work_group_size(32, THREADS / 32, 1))) void PACK(
    global const T* restrict x, long offset, long step_i, long step_k, int stored, int outside,
    int diagonal, int conjugated, long rows, long depth, long padded, global REAL* restrict out) {
  local T square[32][33];
  const long i0 = get_group_id(0) * 32, k0 = get_group_id(1) * 32;
  const int lane = get_local_id(0), line = get_local_id(1);
  x += offset;
  for (int step = line; step < 32; step += THREADS / 32) {
    // Neighbours in the group read neighbours in memory.
    const long i = i0 + (step_i == 1 ? lane : step), k = k0 + (step_i == 1 ? step : lane);
    const T value = i < rows && k < depth ? matrix_element(x, step_i, step_k, stored, outside,
                                                           diagonal, conjugated, i, k)
                                          : zero();
    square[k - k0][i - i0] = value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const long panel = i0 / WIDTH;
  for (int step = line; step < 32; step += THREADS / 32) {
    if (k0 + step >= padded) break;
    global REAL* column = out + (panel * padded + k0 + step) * WIDTH * PARTS;
    put_element(column, WIDTH, (int)(i0 - panel * WIDTH) + lane, square[step][lane]);
  }
}
#undef PACK
#undef WIDTH
