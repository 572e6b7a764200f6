#include <clBLAS-complex.h>

/* The parts of complex numbers, as the test in C++ asks for them. */
float clblas_parts(void) {
  const FloatComplex single = floatComplex(1, 2);
  const DoubleComplex twice = doubleComplex(10, 20);
  const cl_float2 same = single;
  return CREAL(same) + CIMAG(single) + (float)(CREAL(twice) + CIMAG(twice));
}
