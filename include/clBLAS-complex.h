#ifndef CLBLAS_COMPLEX_H_
#define CLBLAS_COMPLEX_H_

/**
 * @file
 * Complex numbers of the BLAS interface: OpenCL's vectors of two, real part first.
 */

#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef cl_float2 FloatComplex;
typedef cl_double2 DoubleComplex;

/** The parts of either. */
#define CREAL(v) ((v).s[0])
#define CIMAG(v) ((v).s[1])

/** A number from its parts. */
static inline FloatComplex floatComplex(float real, float imag) {
  FloatComplex number;
  number.s[0] = real;
  number.s[1] = imag;
  return number;
}
static inline DoubleComplex doubleComplex(double real, double imag) {
  DoubleComplex number;
  number.s[0] = real;
  number.s[1] = imag;
  return number;
}

#ifdef __cplusplus
}
#endif

#endif
