#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#line 1 "user.c"
static void save(const double *q, double *old) { _Pragma("unroll") for (int n = 0; n < 4; ++n) old[n] = q[n]; }

#line 1 "kiln_loop_save"
static void save_kiln_lanes8(const double8 *q, double8 *old);
static void save_kiln_lanes8(const double8 *q, double8 *old) { _Pragma("unroll") for (int n = 0; n < 4; ++n) old[n] = q[n]; }
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define kiln_stream(kiln_to, kiln_value) __builtin_nontemporal_store(kiln_value, kiln_to)
#endif
#endif
#ifndef kiln_stream
#define kiln_stream(kiln_to, kiln_value) (*(kiln_to) = (kiln_value))
#endif
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void kiln_loop_save(
    __global const double *restrict kiln_d0,
    __global double *restrict kiln_d1,
    const int kiln_begin,
    const int kiln_end,
    const int kiln_block_size,
    const int kiln_first_block)
{
  const int kiln_block = kiln_first_block + (int)get_group_id(0);
  int kiln_e = kiln_begin + kiln_block * kiln_block_size;
  const int kiln_stop = kiln_end - kiln_e < kiln_block_size ? kiln_end : kiln_e + kiln_block_size;
  const int kiln_aligned1 = ((size_t)(kiln_d1 + (size_t)kiln_e * 4) & 63) == 0;
  for (; kiln_stop - kiln_e >= 8; kiln_e += 8) {
    const int kiln_el0 = kiln_e;
    const int kiln_el1 = kiln_e + 1;
    const int kiln_el2 = kiln_e + 2;
    const int kiln_el3 = kiln_e + 3;
    const int kiln_el4 = kiln_e + 4;
    const int kiln_el5 = kiln_e + 5;
    const int kiln_el6 = kiln_e + 6;
    const int kiln_el7 = kiln_e + 7;
    double8 kiln_a0[4];
    const double4 kiln_a0_0 = vload4(kiln_el0, kiln_d0);
    const double4 kiln_a0_1 = vload4(kiln_el1, kiln_d0);
    const double4 kiln_a0_2 = vload4(kiln_el2, kiln_d0);
    const double4 kiln_a0_3 = vload4(kiln_el3, kiln_d0);
    const double4 kiln_a0_4 = vload4(kiln_el4, kiln_d0);
    const double4 kiln_a0_5 = vload4(kiln_el5, kiln_d0);
    const double4 kiln_a0_6 = vload4(kiln_el6, kiln_d0);
    const double4 kiln_a0_7 = vload4(kiln_el7, kiln_d0);
    kiln_a0[0] = (double8)(kiln_a0_0.s0, kiln_a0_1.s0, kiln_a0_2.s0, kiln_a0_3.s0, kiln_a0_4.s0, kiln_a0_5.s0, kiln_a0_6.s0, kiln_a0_7.s0);
    kiln_a0[1] = (double8)(kiln_a0_0.s1, kiln_a0_1.s1, kiln_a0_2.s1, kiln_a0_3.s1, kiln_a0_4.s1, kiln_a0_5.s1, kiln_a0_6.s1, kiln_a0_7.s1);
    kiln_a0[2] = (double8)(kiln_a0_0.s2, kiln_a0_1.s2, kiln_a0_2.s2, kiln_a0_3.s2, kiln_a0_4.s2, kiln_a0_5.s2, kiln_a0_6.s2, kiln_a0_7.s2);
    kiln_a0[3] = (double8)(kiln_a0_0.s3, kiln_a0_1.s3, kiln_a0_2.s3, kiln_a0_3.s3, kiln_a0_4.s3, kiln_a0_5.s3, kiln_a0_6.s3, kiln_a0_7.s3);
    double8 kiln_a1[4];
    save_kiln_lanes8(kiln_a0, kiln_a1);
    __global double *kiln_to1 = kiln_d1 + (size_t)kiln_el0 * 4;
    if (kiln_aligned1) {
      kiln_stream((__global double8 *)(kiln_to1 + 0), (double8)(kiln_a1[0].s0, kiln_a1[1].s0, kiln_a1[2].s0, kiln_a1[3].s0, kiln_a1[0].s1, kiln_a1[1].s1, kiln_a1[2].s1, kiln_a1[3].s1));
      kiln_stream((__global double8 *)(kiln_to1 + 8), (double8)(kiln_a1[0].s2, kiln_a1[1].s2, kiln_a1[2].s2, kiln_a1[3].s2, kiln_a1[0].s3, kiln_a1[1].s3, kiln_a1[2].s3, kiln_a1[3].s3));
      kiln_stream((__global double8 *)(kiln_to1 + 16), (double8)(kiln_a1[0].s4, kiln_a1[1].s4, kiln_a1[2].s4, kiln_a1[3].s4, kiln_a1[0].s5, kiln_a1[1].s5, kiln_a1[2].s5, kiln_a1[3].s5));
      kiln_stream((__global double8 *)(kiln_to1 + 24), (double8)(kiln_a1[0].s6, kiln_a1[1].s6, kiln_a1[2].s6, kiln_a1[3].s6, kiln_a1[0].s7, kiln_a1[1].s7, kiln_a1[2].s7, kiln_a1[3].s7));
    } else {
      vstore8((double8)(kiln_a1[0].s0, kiln_a1[1].s0, kiln_a1[2].s0, kiln_a1[3].s0, kiln_a1[0].s1, kiln_a1[1].s1, kiln_a1[2].s1, kiln_a1[3].s1), 0, kiln_to1 + 0);
      vstore8((double8)(kiln_a1[0].s2, kiln_a1[1].s2, kiln_a1[2].s2, kiln_a1[3].s2, kiln_a1[0].s3, kiln_a1[1].s3, kiln_a1[2].s3, kiln_a1[3].s3), 0, kiln_to1 + 8);
      vstore8((double8)(kiln_a1[0].s4, kiln_a1[1].s4, kiln_a1[2].s4, kiln_a1[3].s4, kiln_a1[0].s5, kiln_a1[1].s5, kiln_a1[2].s5, kiln_a1[3].s5), 0, kiln_to1 + 16);
      vstore8((double8)(kiln_a1[0].s6, kiln_a1[1].s6, kiln_a1[2].s6, kiln_a1[3].s6, kiln_a1[0].s7, kiln_a1[1].s7, kiln_a1[2].s7, kiln_a1[3].s7), 0, kiln_to1 + 24);
    }
  }
  for (; kiln_e < kiln_stop; ++kiln_e) {
    const int kiln_el0 = kiln_e;
    double kiln_a0[4];
    for (int kiln_k = 0; kiln_k < 4; ++kiln_k) kiln_a0[kiln_k] = kiln_d0[(size_t)kiln_el0 * 4 + kiln_k];
    double kiln_a1[4];
    save(kiln_a0, kiln_a1);
    for (int kiln_k = 0; kiln_k < 4; ++kiln_k) kiln_d1[(size_t)kiln_el0 * 4 + kiln_k] = kiln_a1[kiln_k];
  }
}
