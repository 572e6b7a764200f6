#ifndef CLBLAST_HALF_H_
#define CLBLAST_HALF_H_

/**
 * @file
 * Half precision on the host, as CLBlast's header of this name has it: IEEE 754 binary16 in an
 * unsigned short, to float and back. What is no number of it is rounded to the nearest, ties to
 * even; what is too large becomes infinity. For C99 and C++.
 */

#include <string.h>

typedef unsigned short half;

#ifdef __cplusplus
#define KILN_HALF_INLINE inline
#else
#define KILN_HALF_INLINE static inline
#endif

/** The half nearest to a float. */
KILN_HALF_INLINE half FloatToHalf(const float value) {
  unsigned int bits, sign, magnitude, result, rest, middle;
  int shift;
  memcpy(&bits, &value, sizeof bits);
  sign = bits >> 16 & 0x8000u;
  magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return (half)(sign | 0x7E00u | (magnitude >> 13 & 0x1FFu));
  if (magnitude >= 0x47800000u) return (half)(sign | 0x7C00u); /* 2^16 and more */
  if (magnitude < 0x33000000u) return (half)sign;              /* below half of the smallest one */
  if (magnitude < 0x38800000u) {                               /* no normal number: below 2^-14 */
    shift = 126 - (int)(magnitude >> 23);
    magnitude = (magnitude & 0x7FFFFFu) | 0x800000u;
  } else {
    shift = 13;
    magnitude -= 0x38000000u; /* the exponent's bias: 127 to 15 */
  }
  result = magnitude >> shift;
  rest = magnitude & ((1u << shift) - 1u);
  middle = 1u << (shift - 1);
  if (rest > middle || (rest == middle && (result & 1u) != 0u)) ++result;
  return (half)(sign | result);
}

/** The same number as a float. */
KILN_HALF_INLINE float HalfToFloat(const half value) {
  const unsigned int sign = (unsigned int)(value & 0x8000u) << 16, exponent = value >> 10 & 0x1Fu;
  unsigned int fraction = value & 0x3FFu, bits;
  float result;
  if (exponent == 0u) { /* zero, and numbers below 2^-14: multiples of 2^-24 */
    result = (float)fraction * 5.9604644775390625e-8f;
    memcpy(&bits, &result, sizeof bits);
    bits |= sign;
  } else if (exponent == 0x1Fu) {
    bits = sign | 0x7F800000u | fraction << 13;
  } else {
    bits = sign | (exponent + 112u) << 23 | fraction << 13;
  }
  memcpy(&result, &bits, sizeof result);
  return result;
}

#undef KILN_HALF_INLINE

#endif
