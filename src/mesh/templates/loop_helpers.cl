// What generated kernels of loops and matrices have in front, as they need it.
// Each part is a template of its own, named by the line before it (embed_templates.cmake).
//===== fp64 =====
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
//===== find =====
static int kiln_find(__global const int *kiln_rowptr, __global const int *kiln_colidx, int kiln_row, int kiln_column) {
  int kiln_low = kiln_rowptr[kiln_row], kiln_end = kiln_rowptr[kiln_row + 1], kiln_high = kiln_end;
  while (kiln_low < kiln_high) {
    const int kiln_middle = kiln_low + (kiln_high - kiln_low) / 2;
    if (kiln_colidx[kiln_middle] < kiln_column) kiln_low = kiln_middle + 1; else kiln_high = kiln_middle;
  }
  return kiln_low < kiln_end && kiln_colidx[kiln_low] == kiln_column ? kiln_low : -1;
}
//===== settle =====
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
//===== stream =====
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define kiln_stream(kiln_to, kiln_value) __builtin_nontemporal_store(kiln_value, kiln_to)
#endif
#endif
#ifndef kiln_stream
#define kiln_stream(kiln_to, kiln_value) (*(kiln_to) = (kiln_value))
#endif
