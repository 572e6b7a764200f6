#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#line 1 "user.c"
static double jump(const double *a, const double *b, double eps) { return eps * (a[1] - b[0]); }
static void flux(const double *a, const double *b, const double *w, double *r, double *most, double eps) {
  double f = jump(a, b, eps) + 0.5f * w[0];
  r[0] += f; r[1] -= f;
  *most = fmax(*most, f);
}

#line 1 "kiln_loop_flux"
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void kiln_loop_flux(
    __global const double *restrict kiln_d0,
    __global const double *restrict kiln_d1,
    __global double *restrict kiln_d2,
    __global double *restrict kiln_partials0,
    const double kiln_c0,
    __global const int *restrict kiln_map0,
    const int kiln_begin,
    const int kiln_end,
    const int kiln_block_size,
    const int kiln_first_block,
    __global const int *restrict kiln_blkmap,
    __global const int *restrict kiln_ind_map,
    __global const int *restrict kiln_ind_sizes,
    __global const int *restrict kiln_ind_offsets,
    __global const ushort *restrict kiln_loc_map,
    __global const int *restrict kiln_element_colours,
    __global const int *restrict kiln_colour_counts,
    __local long2 *kiln_local,
    const int kiln_first_partial)
{
  __local double kiln_fold0[64];
  const double eps = kiln_c0;
  double kiln_r0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_r0[kiln_k] = (-(double)INFINITY);
  double kiln_b0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (-(double)INFINITY);
  const int kiln_block = kiln_blkmap[kiln_first_block + (int)get_group_id(0)];
  const int kiln_size = kiln_end - kiln_begin;
  const int kiln_start = kiln_block * kiln_block_size;
  const int kiln_length = kiln_size - kiln_start < kiln_block_size ? kiln_size - kiln_start : kiln_block_size;
  __local char *kiln_free = (__local char *)kiln_local;
  const int kiln_n0 = kiln_ind_sizes[(size_t)kiln_block * 2 + 0];
  __global const int *kiln_t0 = kiln_ind_map + kiln_ind_offsets[(size_t)kiln_block * 2 + 0];
  __local double *kiln_l0 = (__local double *)kiln_free;
  kiln_free += ((size_t)kiln_n0 * 16 + 15) / 16 * 16;
  const int kiln_n1 = kiln_ind_sizes[(size_t)kiln_block * 2 + 1];
  __global const int *kiln_t1 = kiln_ind_map + kiln_ind_offsets[(size_t)kiln_block * 2 + 1];
  __local double *kiln_l1 = (__local double *)kiln_free;
  kiln_free += ((size_t)kiln_n1 * 16 + 15) / 16 * 16;
  for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_n0 * 2; kiln_i += 64) kiln_l0[kiln_i] = kiln_d0[(size_t)kiln_t0[kiln_i / 2] * 2 + kiln_i % 2];
  for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_n1 * 2; kiln_i += 64) kiln_l1[kiln_i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int kiln_first = 0; kiln_first < kiln_length; kiln_first += 64) {
    const int kiln_at = kiln_first + (int)get_local_id(0);
    const int kiln_position = kiln_start + kiln_at;
    double kiln_a3[2];
    if (kiln_at < kiln_length) {
    const int kiln_e = kiln_begin + kiln_position;
    const int kiln_el0 = kiln_e;
    const int kiln_loc0 = (int)kiln_loc_map[(size_t)0 * kiln_size + kiln_position];
    const int kiln_loc1 = (int)kiln_loc_map[(size_t)1 * kiln_size + kiln_position];
    const int kiln_loc2 = (int)kiln_loc_map[(size_t)2 * kiln_size + kiln_position];
    double kiln_a0[2];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a0[kiln_k] = kiln_l0[kiln_loc0 * 2 + kiln_k];
    double kiln_a1[2];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a1[kiln_k] = kiln_l0[kiln_loc1 * 2 + kiln_k];
    double kiln_a2[1];
    kiln_a2[0] = kiln_d1[kiln_el0];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a3[kiln_k] = 0;
    flux(kiln_a0, kiln_a1, kiln_a2, kiln_a3, kiln_r0, eps);
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (kiln_b0[kiln_k] != kiln_b0[kiln_k] ? kiln_b0[kiln_k] : kiln_r0[kiln_k] > kiln_b0[kiln_k] || kiln_r0[kiln_k] != kiln_r0[kiln_k] ? kiln_r0[kiln_k] : kiln_b0[kiln_k]);
    }
    const int kiln_colour = kiln_at < kiln_length ? kiln_element_colours[kiln_position] : -1;
    const int kiln_colours = kiln_colour_counts[kiln_block];
    for (int kiln_c = 0; kiln_c < kiln_colours; ++kiln_c) {
      if (kiln_colour == kiln_c) {
        _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_l1[(int)kiln_loc_map[(size_t)2 * kiln_size + kiln_position] * 2 + kiln_k] += kiln_a3[kiln_k];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_n1 * 2; kiln_i += 64) kiln_d2[(size_t)kiln_t1[kiln_i / 2] * 2 + kiln_i % 2] += kiln_l1[kiln_i];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_r0[kiln_k] = kiln_b0[kiln_k];
  const int kiln_id = (int)get_local_id(0);
  for (int kiln_k = 0; kiln_k < 1; ++kiln_k) {
    kiln_fold0[kiln_id] = kiln_r0[kiln_k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int kiln_far = 32; kiln_far > 0; kiln_far /= 2) {
      if (kiln_id < kiln_far && kiln_id + kiln_far < 64) kiln_fold0[kiln_id] = (kiln_fold0[kiln_id] != kiln_fold0[kiln_id] ? kiln_fold0[kiln_id] : kiln_fold0[kiln_id + kiln_far] > kiln_fold0[kiln_id] || kiln_fold0[kiln_id + kiln_far] != kiln_fold0[kiln_id + kiln_far] ? kiln_fold0[kiln_id + kiln_far] : kiln_fold0[kiln_id]);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    kiln_r0[kiln_k] = kiln_fold0[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (kiln_id == 0) {
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_partials0[(size_t)(kiln_first_partial + (int)get_group_id(0)) * 1 + kiln_k] = kiln_r0[kiln_k];
  }
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void kiln_fold_flux(
    __global double *restrict kiln_partials0,
    __global double *restrict kiln_result0,
    const int kiln_count)
{
  __local double kiln_fold0[64];
  double kiln_r0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_r0[kiln_k] = (-(double)INFINITY);
  for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_count; kiln_i += 64)
    for (int kiln_k = 0; kiln_k < 1; ++kiln_k) {
      const double kiln_x = kiln_partials0[(size_t)kiln_i * 1 + kiln_k];
      kiln_r0[kiln_k] = (kiln_r0[kiln_k] != kiln_r0[kiln_k] ? kiln_r0[kiln_k] : kiln_x > kiln_r0[kiln_k] || kiln_x != kiln_x ? kiln_x : kiln_r0[kiln_k]);
    }
  const int kiln_id = (int)get_local_id(0);
  for (int kiln_k = 0; kiln_k < 1; ++kiln_k) {
    kiln_fold0[kiln_id] = kiln_r0[kiln_k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int kiln_far = 32; kiln_far > 0; kiln_far /= 2) {
      if (kiln_id < kiln_far && kiln_id + kiln_far < 64) kiln_fold0[kiln_id] = (kiln_fold0[kiln_id] != kiln_fold0[kiln_id] ? kiln_fold0[kiln_id] : kiln_fold0[kiln_id + kiln_far] > kiln_fold0[kiln_id] || kiln_fold0[kiln_id + kiln_far] != kiln_fold0[kiln_id + kiln_far] ? kiln_fold0[kiln_id + kiln_far] : kiln_fold0[kiln_id]);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    kiln_r0[kiln_k] = kiln_fold0[0];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) {
    for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_result0[kiln_k] = (kiln_result0[kiln_k] != kiln_result0[kiln_k] ? kiln_result0[kiln_k] : kiln_r0[kiln_k] > kiln_result0[kiln_k] || kiln_r0[kiln_k] != kiln_r0[kiln_k] ? kiln_r0[kiln_k] : kiln_result0[kiln_k]);
  }
}
