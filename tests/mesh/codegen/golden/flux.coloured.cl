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
    __global const int *restrict kiln_order,
    const int kiln_first_partial)
{
  __local double kiln_fold0[64];
  const double eps = kiln_c0;
  double kiln_r0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_r0[kiln_k] = (-(double)INFINITY);
  double kiln_b0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (-(double)INFINITY);
  if ((long)get_global_id(0) < (long)kiln_end - kiln_begin) {
#pragma clang loop vectorize(disable) interleave(disable)
  for (int kiln_e = kiln_begin + (int)get_global_id(0);; kiln_e += (int)get_global_size(0)) {
    const int kiln_el0 = kiln_order[kiln_e];
    const int kiln_m0_0_0 = (*(__global const int2 *)&kiln_map0[(size_t)kiln_el0 * 2]).s0;
    const int kiln_m0_1_0 = (*(__global const int2 *)&kiln_map0[(size_t)kiln_el0 * 2]).s1;
    double kiln_a0[2];
    { const double2 kiln_v = *(__global const double2 *)&kiln_d0[(size_t)kiln_m0_0_0 * 2 + 0]; kiln_a0[0] = kiln_v.s0; kiln_a0[1] = kiln_v.s1; }
    double kiln_a1[2];
    { const double2 kiln_v = *(__global const double2 *)&kiln_d0[(size_t)kiln_m0_1_0 * 2 + 0]; kiln_a1[0] = kiln_v.s0; kiln_a1[1] = kiln_v.s1; }
    double kiln_a2[1];
    kiln_a2[0] = kiln_d1[kiln_el0];
    double kiln_a3[2];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a3[kiln_k] = 0;
    flux(kiln_a0, kiln_a1, kiln_a2, kiln_a3, kiln_r0, eps);
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (kiln_b0[kiln_k] != kiln_b0[kiln_k] ? kiln_b0[kiln_k] : kiln_r0[kiln_k] > kiln_b0[kiln_k] || kiln_r0[kiln_k] != kiln_r0[kiln_k] ? kiln_r0[kiln_k] : kiln_b0[kiln_k]);
    *(__global double2 *)&kiln_d2[(size_t)kiln_m0_1_0 * 2 + 0] += (double2)(kiln_a3[0], kiln_a3[1]);
    if (kiln_end - kiln_e <= (long)get_global_size(0)) break;
  }}
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
