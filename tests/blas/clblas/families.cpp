#include "blas/clblas/families.hpp"

namespace clblas_test {

#define QUEUES o.queue_count, o.queues, o.wait_count, o.waits, o.events
#define FAMILY(name, element, arguments, Kind, letter) \
  {#name,                                              \
   element,                                            \
   [](const Operands& o) { return name arguments; },   \
   clblasInvalid##Kind##letter,                        \
   clblasInsufficientMem##Kind##letter,                \
   contains(#arguments, "o.ld"),                       \
   contains(#arguments, "o.inc")},

const std::vector<Family>& families() {
  // clang-format off
  static const std::vector<Family> all{
    FAMILY(clblasDswap, 8, (o.n, o.x, 0, o.inc, o.y, 0, o.inc, QUEUES), Vec, X)
    FAMILY(clblasCscal, 8, (o.n, floatComplex(1, 0), o.x, 0, o.inc, QUEUES), Vec, X)
    FAMILY(clblasZdscal, 16, (o.n, 1, o.x, 0, o.inc, QUEUES), Vec, X)
    FAMILY(clblasScopy, 4, (o.n, o.x, 0, o.inc, o.y, 0, o.inc, QUEUES), Vec, X)
    FAMILY(clblasZaxpy, 16, (o.n, doubleComplex(1, 0), o.x, 0, o.inc, o.y, 0, o.inc, QUEUES), Vec, X)
    FAMILY(clblasSdot, 4, (o.n, o.z, 0, o.x, 0, o.inc, o.y, 0, o.inc, nullptr, QUEUES), Vec, X)
    FAMILY(clblasCdotc, 8, (o.n, o.z, 0, o.x, 0, o.inc, o.y, 0, o.inc, nullptr, QUEUES), Vec, X)
    FAMILY(clblasSrotg, 4, (o.x, 0, o.y, 0, o.z, 0, o.w, 0, QUEUES), Vec, X)
    FAMILY(clblasDrotmg, 8, (o.x, 0, o.y, 0, o.z, 0, o.w, 0, o.a, 0, QUEUES), Vec, X)
    FAMILY(clblasCsrot, 8, (o.n, o.x, 0, o.inc, o.y, 0, o.inc, 1, 1, QUEUES), Vec, X)
    FAMILY(clblasSrotm, 4, (o.n, o.x, 0, o.inc, o.y, 0, o.inc, o.z, 0, QUEUES), Vec, X)
    FAMILY(clblasDnrm2, 8, (o.n, o.z, 0, o.x, 0, o.inc, nullptr, QUEUES), Vec, X)
    FAMILY(clblasiCamax, 8, (o.n, o.z, 0, o.x, 0, o.inc, nullptr, QUEUES), Vec, X)
    FAMILY(clblasScasum, 8, (o.n, o.z, 0, o.x, 0, o.inc, nullptr, QUEUES), Vec, X)
    FAMILY(clblasSgemv, 4, (clblasColumnMajor, o.trans, o.n, o.n, 1, o.a, 0, o.ld, o.x, 0, o.inc, 1, o.y, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasDsymv, 8, (clblasColumnMajor, clblasUpper, o.n, 1, o.a, 0, o.ld, o.x, 0, o.inc, 1, o.y, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasChemv, 8, (clblasColumnMajor, clblasUpper, o.n, floatComplex(1, 0), o.a, 0, o.ld, o.x, 0, o.inc, floatComplex(1, 0), o.y, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasZtrmv, 16, (clblasColumnMajor, clblasUpper, o.trans, clblasUnit, o.n, o.a, 0, o.ld, o.x, 0, o.inc, nullptr, QUEUES), Mat, A)
    FAMILY(clblasStrsv, 4, (clblasColumnMajor, clblasUpper, o.trans, clblasUnit, o.n, o.a, 0, o.ld, o.x, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasDger, 8, (clblasColumnMajor, o.n, o.n, 1, o.x, 0, o.inc, o.y, 0, o.inc, o.a, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasCgerc, 8, (clblasColumnMajor, o.n, o.n, floatComplex(1, 0), o.x, 0, o.inc, o.y, 0, o.inc, o.a, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasSsyr, 4, (clblasColumnMajor, clblasUpper, o.n, 1, o.x, 0, o.inc, o.a, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasZher, 16, (clblasColumnMajor, clblasUpper, o.n, 1, o.x, 0, o.inc, o.a, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasDsyr2, 8, (clblasColumnMajor, clblasUpper, o.n, 1, o.x, 0, o.inc, o.y, 0, o.inc, o.a, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasCher2, 8, (clblasColumnMajor, clblasUpper, o.n, floatComplex(1, 0), o.x, 0, o.inc, o.y, 0, o.inc, o.a, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasStpmv, 4, (clblasColumnMajor, clblasUpper, o.trans, clblasUnit, o.n, o.a, 0, o.x, 0, o.inc, nullptr, QUEUES), Mat, A)
    FAMILY(clblasCtpsv, 8, (clblasColumnMajor, clblasUpper, o.trans, clblasUnit, o.n, o.a, 0, o.x, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasDspmv, 8, (clblasColumnMajor, clblasUpper, o.n, 1, o.a, 0, o.x, 0, o.inc, 1, o.y, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasZhpmv, 16, (clblasColumnMajor, clblasUpper, o.n, doubleComplex(1, 0), o.a, 0, o.x, 0, o.inc, doubleComplex(1, 0), o.y, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasSspr, 4, (clblasColumnMajor, clblasUpper, o.n, 1, o.x, 0, o.inc, o.a, 0, QUEUES), Mat, A)
    FAMILY(clblasChpr, 8, (clblasColumnMajor, clblasUpper, o.n, 1, o.x, 0, o.inc, o.a, 0, QUEUES), Mat, A)
    FAMILY(clblasDspr2, 8, (clblasColumnMajor, clblasUpper, o.n, 1, o.x, 0, o.inc, o.y, 0, o.inc, o.a, 0, QUEUES), Mat, A)
    FAMILY(clblasZhpr2, 16, (clblasColumnMajor, clblasUpper, o.n, doubleComplex(1, 0), o.x, 0, o.inc, o.y, 0, o.inc, o.a, 0, QUEUES), Mat, A)
    FAMILY(clblasCgbmv, 8, (clblasColumnMajor, o.trans, o.n, o.n, 1, 1, floatComplex(1, 0), o.a, 0, o.ld, o.x, 0, o.inc, floatComplex(1, 0), o.y, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasDtbmv, 8, (clblasColumnMajor, clblasUpper, o.trans, clblasUnit, o.n, o.k, o.a, 0, o.ld, o.x, 0, o.inc, nullptr, QUEUES), Mat, A)
    FAMILY(clblasSsbmv, 4, (clblasColumnMajor, clblasUpper, o.n, o.k, 1, o.a, 0, o.ld, o.x, 0, o.inc, 1, o.y, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasChbmv, 8, (clblasColumnMajor, clblasUpper, o.n, o.k, floatComplex(1, 0), o.a, 0, o.ld, o.x, 0, o.inc, floatComplex(1, 0), o.y, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasZtbsv, 16, (clblasColumnMajor, clblasUpper, o.trans, clblasUnit, o.n, o.k, o.a, 0, o.ld, o.x, 0, o.inc, QUEUES), Mat, A)
    FAMILY(clblasSgemm, 4, (clblasColumnMajor, o.trans, o.trans, o.n, o.n, o.k, 1, o.a, 0, o.ld, o.b, 0, o.ld, 1, o.c, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasZtrmm, 16, (clblasColumnMajor, clblasLeft, clblasUpper, o.trans, clblasUnit, o.n, o.n, doubleComplex(1, 0), o.a, 0, o.ld, o.b, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasDtrsm, 8, (clblasColumnMajor, clblasLeft, clblasUpper, o.trans, clblasUnit, o.n, o.n, 1, o.a, 0, o.ld, o.b, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasCsyrk, 8, (clblasColumnMajor, clblasUpper, o.trans, o.n, o.k, floatComplex(1, 0), o.a, 0, o.ld, floatComplex(1, 0), o.c, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasSsyr2k, 4, (clblasColumnMajor, clblasUpper, o.trans, o.n, o.k, 1, o.a, 0, o.ld, o.b, 0, o.ld, 1, o.c, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasDsymm, 8, (clblasColumnMajor, clblasLeft, clblasUpper, o.n, o.n, 1, o.a, 0, o.ld, o.b, 0, o.ld, 1, o.c, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasZhemm, 16, (clblasColumnMajor, clblasLeft, clblasUpper, o.n, o.n, doubleComplex(1, 0), o.a, 0, o.ld, o.b, 0, o.ld, doubleComplex(1, 0), o.c, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasCherk, 8, (clblasColumnMajor, clblasUpper, o.trans, o.n, o.k, 1, o.a, 0, o.ld, 1, o.c, 0, o.ld, QUEUES), Mat, A)
    FAMILY(clblasZher2k, 16, (clblasColumnMajor, clblasUpper, o.trans, o.n, o.k, doubleComplex(1, 0), o.a, 0, o.ld, o.b, 0, o.ld, 1, o.c, 0, o.ld, QUEUES), Mat, A)
  };
  // clang-format on
  return all;
}

}  // namespace clblas_test
