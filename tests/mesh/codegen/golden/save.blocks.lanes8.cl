#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#line 1 "user.c"
static void save(const double *q, double *old) { _Pragma("unroll") for (int n = 0; n < 4; ++n) old[n] = q[n]; }

#line 1 "kiln_loop_save"
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define kiln_stream(kiln_to, kiln_value) __builtin_nontemporal_store(kiln_value, kiln_to)
#endif
#endif
#ifndef kiln_stream
#define kiln_stream(kiln_to, kiln_value) (*(kiln_to) = (kiln_value))
#endif
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
  for (; kiln_e < kiln_stop; ++kiln_e) {
    const int kiln_el0 = kiln_e;
    double kiln_a0[4];
    _Pragma("unroll") for (int kiln_k = 0; kiln_k < 4; ++kiln_k) kiln_a0[kiln_k] = kiln_d0[(size_t)kiln_el0 * 4 + kiln_k];
    double kiln_a1[4];
    save(kiln_a0, kiln_a1);
    if (kiln_aligned1)
      kiln_stream((__global double4 *)(kiln_d1 + (size_t)kiln_el0 * 4), (double4)(kiln_a1[0], kiln_a1[1], kiln_a1[2], kiln_a1[3]));
    else
      _Pragma("unroll") for (int kiln_k = 0; kiln_k < 4; ++kiln_k) kiln_d1[(size_t)kiln_el0 * 4 + kiln_k] = kiln_a1[kiln_k];
  }
}
