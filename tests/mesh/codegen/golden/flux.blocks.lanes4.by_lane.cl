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

static double4 kiln_fmax_double4(double4 a0, double4 a1) { return (double4)(fmax(a0.s0, a1.s0), fmax(a0.s1, a1.s1), fmax(a0.s2, a1.s2), fmax(a0.s3, a1.s3)); }
static void flux_kiln_lanes4(const double4 *a, const double4 *b, const double4 *w, double4 *r, double4 *most, double eps);
static double4 jump_kiln_lanes4(const double4 *a, const double4 *b, double eps);
#line 2 "user.c"
static void flux_kiln_lanes4(const double4 *a, const double4 *b, const double4 *w, double4 *r, double4 *most, double eps) {
  double4 f = jump_kiln_lanes4(a, b, eps) + 0.5f * w[0];
  r[0] += f; r[1] -= f;
  *most = kiln_fmax_double4(*most, f);
}
#line 1 "user.c"
static double4 jump_kiln_lanes4(const double4 *a, const double4 *b, double eps) { return eps * (a[1] - b[0]); }
#line 1 "kiln_loop_flux"
#if defined(__clang__) && defined(__AVX512F__)
#define kiln_settle64(kiln_x) __asm__("" : "+v"(kiln_x))
#else
#define kiln_settle64(kiln_x)
#endif
#if defined(__clang__) && defined(__AVX__)
#define kiln_settle32(kiln_x) __asm__("" : "+x"(kiln_x))
#else
#define kiln_settle32(kiln_x)
#endif
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
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
    const int kiln_first_partial)
{
  const double eps = kiln_c0;
  double kiln_r0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_r0[kiln_k] = (-(double)INFINITY);
  double kiln_b0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (-(double)INFINITY);
  const int kiln_block = kiln_blkmap[kiln_first_block + (int)get_group_id(0)];
  int kiln_e = kiln_begin + kiln_block * kiln_block_size;
  const int kiln_stop = kiln_end - kiln_e < kiln_block_size ? kiln_end : kiln_e + kiln_block_size;
  double4 kiln_v0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_v0[kiln_k] = (-(double)INFINITY);
  double4 kiln_bv0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_bv0[kiln_k] = (-(double)INFINITY);
#pragma clang loop vectorize(disable) interleave(disable)
  for (; kiln_stop - kiln_e >= 4; kiln_e += 4) {
    const int kiln_el0 = kiln_e;
    const int kiln_el1 = kiln_e + 1;
    const int kiln_el2 = kiln_e + 2;
    const int kiln_el3 = kiln_e + 3;
    const int kiln_m0_0_0 = kiln_map0[(size_t)kiln_el0 * 2 + 0];
    const int kiln_m0_0_1 = kiln_map0[(size_t)kiln_el1 * 2 + 0];
    const int kiln_m0_0_2 = kiln_map0[(size_t)kiln_el2 * 2 + 0];
    const int kiln_m0_0_3 = kiln_map0[(size_t)kiln_el3 * 2 + 0];
    const int kiln_m0_1_0 = kiln_map0[(size_t)kiln_el0 * 2 + 1];
    const int kiln_m0_1_1 = kiln_map0[(size_t)kiln_el1 * 2 + 1];
    const int kiln_m0_1_2 = kiln_map0[(size_t)kiln_el2 * 2 + 1];
    const int kiln_m0_1_3 = kiln_map0[(size_t)kiln_el3 * 2 + 1];
    double4 kiln_a0[2];
    double4 kiln_a0_p0_0 = (double4)(vload2(0, kiln_d0 + (size_t)kiln_m0_0_0 * 2), vload2(0, kiln_d0 + (size_t)kiln_m0_0_2 * 2));
    kiln_settle32(kiln_a0_p0_0);
    double4 kiln_a0_p0_1 = (double4)(vload2(0, kiln_d0 + (size_t)kiln_m0_0_1 * 2), vload2(0, kiln_d0 + (size_t)kiln_m0_0_3 * 2));
    kiln_settle32(kiln_a0_p0_1);
    kiln_a0[0] = (double4)(kiln_a0_p0_0.s0, kiln_a0_p0_1.s0, kiln_a0_p0_0.s2, kiln_a0_p0_1.s2);
    kiln_a0[1] = (double4)(kiln_a0_p0_0.s1, kiln_a0_p0_1.s1, kiln_a0_p0_0.s3, kiln_a0_p0_1.s3);
    double4 kiln_a1[2];
    double4 kiln_a1_p0_0 = (double4)(vload2(0, kiln_d0 + (size_t)kiln_m0_1_0 * 2), vload2(0, kiln_d0 + (size_t)kiln_m0_1_2 * 2));
    kiln_settle32(kiln_a1_p0_0);
    double4 kiln_a1_p0_1 = (double4)(vload2(0, kiln_d0 + (size_t)kiln_m0_1_1 * 2), vload2(0, kiln_d0 + (size_t)kiln_m0_1_3 * 2));
    kiln_settle32(kiln_a1_p0_1);
    kiln_a1[0] = (double4)(kiln_a1_p0_0.s0, kiln_a1_p0_1.s0, kiln_a1_p0_0.s2, kiln_a1_p0_1.s2);
    kiln_a1[1] = (double4)(kiln_a1_p0_0.s1, kiln_a1_p0_1.s1, kiln_a1_p0_0.s3, kiln_a1_p0_1.s3);
    double4 kiln_a2[1];
    kiln_a2[0] = vload4(0, &kiln_d1[kiln_el0]);
    double4 kiln_a3[2];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a3[kiln_k] = 0;
    flux_kiln_lanes4(kiln_a0, kiln_a1, kiln_a2, kiln_a3, kiln_v0, eps);
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_bv0[kiln_k] = (kiln_bv0[kiln_k] != kiln_bv0[kiln_k] ? kiln_bv0[kiln_k] : kiln_v0[kiln_k] > kiln_bv0[kiln_k] || kiln_v0[kiln_k] != kiln_v0[kiln_k] ? kiln_v0[kiln_k] : kiln_bv0[kiln_k]);
    const double4 kiln_a3_r0_0 = (double4)(kiln_a3[0].s0, kiln_a3[1].s0, kiln_a3[0].s2, kiln_a3[1].s2);
    const double4 kiln_a3_r0_1 = (double4)(kiln_a3[0].s1, kiln_a3[1].s1, kiln_a3[0].s3, kiln_a3[1].s3);
    vstore2(vload2(0, kiln_d2 + (size_t)kiln_m0_1_0 * 2) + kiln_a3_r0_0.s01, 0, kiln_d2 + (size_t)kiln_m0_1_0 * 2);
    vstore2(vload2(0, kiln_d2 + (size_t)kiln_m0_1_1 * 2) + kiln_a3_r0_1.s01, 0, kiln_d2 + (size_t)kiln_m0_1_1 * 2);
    vstore2(vload2(0, kiln_d2 + (size_t)kiln_m0_1_2 * 2) + kiln_a3_r0_0.s23, 0, kiln_d2 + (size_t)kiln_m0_1_2 * 2);
    vstore2(vload2(0, kiln_d2 + (size_t)kiln_m0_1_3 * 2) + kiln_a3_r0_1.s23, 0, kiln_d2 + (size_t)kiln_m0_1_3 * 2);
  }
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (kiln_b0[kiln_k] != kiln_b0[kiln_k] ? kiln_b0[kiln_k] : kiln_bv0[kiln_k].s0 > kiln_b0[kiln_k] || kiln_bv0[kiln_k].s0 != kiln_bv0[kiln_k].s0 ? kiln_bv0[kiln_k].s0 : kiln_b0[kiln_k]);
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (kiln_b0[kiln_k] != kiln_b0[kiln_k] ? kiln_b0[kiln_k] : kiln_bv0[kiln_k].s1 > kiln_b0[kiln_k] || kiln_bv0[kiln_k].s1 != kiln_bv0[kiln_k].s1 ? kiln_bv0[kiln_k].s1 : kiln_b0[kiln_k]);
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (kiln_b0[kiln_k] != kiln_b0[kiln_k] ? kiln_b0[kiln_k] : kiln_bv0[kiln_k].s2 > kiln_b0[kiln_k] || kiln_bv0[kiln_k].s2 != kiln_bv0[kiln_k].s2 ? kiln_bv0[kiln_k].s2 : kiln_b0[kiln_k]);
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (kiln_b0[kiln_k] != kiln_b0[kiln_k] ? kiln_b0[kiln_k] : kiln_bv0[kiln_k].s3 > kiln_b0[kiln_k] || kiln_bv0[kiln_k].s3 != kiln_bv0[kiln_k].s3 ? kiln_bv0[kiln_k].s3 : kiln_b0[kiln_k]);
#pragma clang loop vectorize(disable) interleave(disable)
  for (; kiln_e < kiln_stop; ++kiln_e) {
    const int kiln_el0 = kiln_e;
    const int kiln_m0_0_0 = kiln_map0[(size_t)kiln_el0 * 2 + 0];
    const int kiln_m0_1_0 = kiln_map0[(size_t)kiln_el0 * 2 + 1];
    double kiln_a0[2];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a0[kiln_k] = kiln_d0[(size_t)kiln_m0_0_0 * 2 + kiln_k];
    double kiln_a1[2];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a1[kiln_k] = kiln_d0[(size_t)kiln_m0_1_0 * 2 + kiln_k];
    double kiln_a2[1];
    kiln_a2[0] = kiln_d1[kiln_el0];
    double kiln_a3[2];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_a3[kiln_k] = 0;
    flux(kiln_a0, kiln_a1, kiln_a2, kiln_a3, kiln_r0, eps);
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_b0[kiln_k] = (kiln_b0[kiln_k] != kiln_b0[kiln_k] ? kiln_b0[kiln_k] : kiln_r0[kiln_k] > kiln_b0[kiln_k] || kiln_r0[kiln_k] != kiln_r0[kiln_k] ? kiln_r0[kiln_k] : kiln_b0[kiln_k]);
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 2; ++kiln_k) kiln_d2[(size_t)kiln_m0_1_0 * 2 + kiln_k] += kiln_a3[kiln_k];
  }
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_r0[kiln_k] = kiln_b0[kiln_k];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_partials0[(size_t)(kiln_first_partial + (int)get_group_id(0)) * 1 + kiln_k] = kiln_r0[kiln_k];
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void kiln_fold_flux(
    __global double *restrict kiln_partials0,
    __global double *restrict kiln_result0,
    const int kiln_count)
{
  double kiln_r0[1];
  _Pragma("unroll") for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_r0[kiln_k] = (-(double)INFINITY);
  for (int kiln_i = (int)get_local_id(0); kiln_i < kiln_count; kiln_i += 1)
    for (int kiln_k = 0; kiln_k < 1; ++kiln_k) {
      const double kiln_x = kiln_partials0[(size_t)kiln_i * 1 + kiln_k];
      kiln_r0[kiln_k] = (kiln_r0[kiln_k] != kiln_r0[kiln_k] ? kiln_r0[kiln_k] : kiln_x > kiln_r0[kiln_k] || kiln_x != kiln_x ? kiln_x : kiln_r0[kiln_k]);
    }
  if (get_local_id(0) == 0) {
    for (int kiln_k = 0; kiln_k < 1; ++kiln_k) kiln_result0[kiln_k] = (kiln_result0[kiln_k] != kiln_result0[kiln_k] ? kiln_result0[kiln_k] : kiln_r0[kiln_k] > kiln_result0[kiln_k] || kiln_r0[kiln_k] != kiln_r0[kiln_k] ? kiln_r0[kiln_k] : kiln_result0[kiln_k]);
  }
}
