#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#line 1 "user.c"
static void entry(double m[1][1], double **x, int i, int j) { m[0][0] += x[i][0] * x[j][1]; }

#line 1 "kiln_loop_entry"
static int kiln_find(__global const int *kiln_rowptr, __global const int *kiln_colidx, int kiln_row, int kiln_column) {
  int kiln_low = kiln_rowptr[kiln_row], kiln_end = kiln_rowptr[kiln_row + 1], kiln_high = kiln_end;
  while (kiln_low < kiln_high) {
    const int kiln_middle = kiln_low + (kiln_high - kiln_low) / 2;
    if (kiln_colidx[kiln_middle] < kiln_column) kiln_low = kiln_middle + 1; else kiln_high = kiln_middle;
  }
  return kiln_low < kiln_end && kiln_colidx[kiln_low] == kiln_column ? kiln_low : -1;
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void kiln_loop_entry(
    __global const double *restrict kiln_d0,
    __global double *restrict kiln_values0,
    __global const int *restrict kiln_rowptr0,
    __global const int *restrict kiln_colidx0,
    __global const int *restrict kiln_map0,
    __global const int *restrict kiln_offset0,
    const int kiln_begin,
    const int kiln_end,
    __global const int *restrict kiln_subset,
    const int kiln_layers,
    const int kiln_block_size,
    const int kiln_first_block,
    __global const int *restrict kiln_blkmap)
{
  const int kiln_block = kiln_blkmap[kiln_first_block + (int)get_group_id(0)];
  int kiln_e = kiln_begin + kiln_block * kiln_block_size;
  const int kiln_stop = kiln_end - kiln_e < kiln_block_size ? kiln_end : kiln_e + kiln_block_size;
#pragma clang loop vectorize(disable) interleave(disable)
  for (; kiln_e < kiln_stop; ++kiln_e) {
    const int kiln_el0 = kiln_subset[kiln_e];
#pragma clang loop vectorize(disable) interleave(disable)
    for (int kiln_layer = 0; kiln_layer < kiln_layers; ++kiln_layer) {
    const int kiln_m0_0_0 = kiln_map0[(size_t)kiln_el0 * 3 + 0] + kiln_layer * kiln_offset0[0];
    const int kiln_m0_1_0 = kiln_map0[(size_t)kiln_el0 * 3 + 1] + kiln_layer * kiln_offset0[1];
    const int kiln_m0_2_0 = kiln_map0[(size_t)kiln_el0 * 3 + 2] + kiln_layer * kiln_offset0[2];
    double kiln_a1[3][2];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a1[0][kiln_k] = kiln_d0[(size_t)kiln_m0_0_0 * 2 + kiln_k];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a1[1][kiln_k] = kiln_d0[(size_t)kiln_m0_1_0 * 2 + kiln_k];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a1[2][kiln_k] = kiln_d0[(size_t)kiln_m0_2_0 * 2 + kiln_k];
    double *kiln_p1[] = {kiln_a1[0], kiln_a1[1], kiln_a1[2]};
#pragma clang loop vectorize(disable) interleave(disable)
    for (int kiln_i0 = 0; kiln_i0 < 3; ++kiln_i0) {
#pragma clang loop vectorize(disable) interleave(disable)
    for (int kiln_i1 = 0; kiln_i1 < 3; ++kiln_i1) {
    const int kiln_m0_i0_0 = kiln_map0[(size_t)kiln_el0 * 3 + kiln_i0] + kiln_layer * kiln_offset0[kiln_i0];
    const int kiln_m0_i1_0 = kiln_map0[(size_t)kiln_el0 * 3 + kiln_i1] + kiln_layer * kiln_offset0[kiln_i1];
    double kiln_a0[1][1];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) ((double *)kiln_a0)[kiln_k] = 0;
    entry(kiln_a0, kiln_p1, kiln_i0, kiln_i1);
    {
      const int kiln_at = kiln_find(kiln_rowptr0, kiln_colidx0, kiln_m0_i0_0, kiln_m0_i1_0);
      if (kiln_at >= 0) kiln_values0[(size_t)kiln_at * 1 + 0] += ((double *)kiln_a0)[0];
    }
    }
    }
    }
  }
}
