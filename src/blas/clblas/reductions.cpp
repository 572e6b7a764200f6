// Level 1: vectors to one number, in memory. The scratch buffers are not needed.

#include "blas/clblas/families.hpp"

#define KILN_DOT(name, routine, precision)                                                       \
  clblasStatus name(size_t n, KILN_BLOCK(z), KILN_VECTOR(x), KILN_VECTOR(y), cl_mem /*scratch*/, \
                    KILN_QUEUES) {                                                               \
    return Request(Routine::routine, Precision::precision)                                       \
        .n(n)                                                                                    \
        .KILN_PUT_BLOCK(z)                                                                       \
        .KILN_PUT_VECTOR(x)                                                                      \
        .KILN_PUT_VECTOR(y)                                                                      \
        .KILN_RUN;                                                                               \
  }
KILN_DOT(clblasSdot, dot, s)
KILN_DOT(clblasDdot, dot, d)
KILN_DOT(clblasCdotu, dot, c)
KILN_DOT(clblasZdotu, dot, z)
KILN_DOT(clblasCdotc, dotc, c)
KILN_DOT(clblasZdotc, dotc, z)

// The precision is the vector's, also where the result is a real number or an index.
#define KILN_REDUCTION(name, routine, precision)                                                \
  clblasStatus name(size_t n, KILN_BLOCK(z), KILN_VECTOR(x), cl_mem /*scratch*/, KILN_QUEUES) { \
    return Request(Routine::routine, Precision::precision)                                      \
        .n(n)                                                                                   \
        .KILN_PUT_BLOCK(z)                                                                      \
        .KILN_PUT_VECTOR(x)                                                                     \
        .KILN_RUN;                                                                              \
  }
KILN_REDUCTION(clblasSnrm2, nrm2, s)
KILN_REDUCTION(clblasDnrm2, nrm2, d)
KILN_REDUCTION(clblasScnrm2, nrm2, c)
KILN_REDUCTION(clblasDznrm2, nrm2, z)
KILN_REDUCTION(clblasiSamax, iamax, s)
KILN_REDUCTION(clblasiDamax, iamax, d)
KILN_REDUCTION(clblasiCamax, iamax, c)
KILN_REDUCTION(clblasiZamax, iamax, z)
KILN_REDUCTION(clblasSasum, asum, s)
KILN_REDUCTION(clblasDasum, asum, d)
KILN_REDUCTION(clblasScasum, asum, c)
KILN_REDUCTION(clblasDzasum, asum, z)
