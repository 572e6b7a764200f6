// Level 1: plane rotations.

#include "blas/clblas/families.hpp"

#define KILN_ROTG(name, precision)                                                             \
  clblasStatus name(KILN_BLOCK(x), KILN_BLOCK(y), KILN_BLOCK(z), KILN_BLOCK(w), KILN_QUEUES) { \
    return Request(Routine::rotg, Precision::precision)                                        \
        .KILN_PUT_BLOCK(x)                                                                     \
        .KILN_PUT_BLOCK(y)                                                                     \
        .KILN_PUT_BLOCK(z)                                                                     \
        .KILN_PUT_BLOCK(w)                                                                     \
        .KILN_RUN;                                                                             \
  }
KILN_ROTG(clblasSrotg, s)
KILN_ROTG(clblasDrotg, d)
KILN_ROTG(clblasCrotg, c)
KILN_ROTG(clblasZrotg, z)

#define KILN_ROTMG(name, precision)                                                            \
  clblasStatus name(KILN_BLOCK(a), KILN_BLOCK(b), KILN_BLOCK(x), KILN_BLOCK(y), KILN_BLOCK(z), \
                    KILN_QUEUES) {                                                             \
    return Request(Routine::rotmg, Precision::precision)                                       \
        .KILN_PUT_BLOCK(a)                                                                     \
        .KILN_PUT_BLOCK(b)                                                                     \
        .KILN_PUT_BLOCK(x)                                                                     \
        .KILN_PUT_BLOCK(y)                                                                     \
        .KILN_PUT_BLOCK(z)                                                                     \
        .KILN_RUN;                                                                             \
  }
KILN_ROTMG(clblasSrotmg, s)
KILN_ROTMG(clblasDrotmg, d)

// A Call has the cosine and the sine in alpha and beta.
#define KILN_ROT(name, precision, scalar)                                                        \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), scalar c, scalar s, KILN_QUEUES) { \
    return Request(Routine::rot, Precision::precision)                                           \
        .n(n)                                                                                    \
        .alpha(c)                                                                                \
        .beta(s)                                                                                 \
        .KILN_PUT_VECTOR(x)                                                                      \
        .KILN_PUT_VECTOR(y)                                                                      \
        .KILN_RUN;                                                                               \
  }
KILN_ROT(clblasSrot, s, cl_float)
KILN_ROT(clblasDrot, d, cl_double)
KILN_ROT(clblasCsrot, c, cl_float)
KILN_ROT(clblasZdrot, z, cl_double)

#define KILN_ROTM(name, precision)                                                          \
  clblasStatus name(size_t n, KILN_VECTOR(x), KILN_VECTOR(y), KILN_BLOCK(z), KILN_QUEUES) { \
    return Request(Routine::rotm, Precision::precision)                                     \
        .n(n)                                                                               \
        .KILN_PUT_VECTOR(x)                                                                 \
        .KILN_PUT_VECTOR(y)                                                                 \
        .KILN_PUT_BLOCK(z)                                                                  \
        .KILN_RUN;                                                                          \
  }
KILN_ROTM(clblasSrotm, s)
KILN_ROTM(clblasDrotm, d)
