#include <clBLAS.h>

/* Enumerators have their values in C, too; an array of a negative size does not compile. */
#define IS(condition) sizeof(char[(condition) ? 1 : -1])
size_t clblas_enumerators(void) {
  return IS(clblasRowMajor == 0) + IS(clblasColumnMajor == 1) + IS(clblasNoTrans == 0) +
         IS(clblasTrans == 1) + IS(clblasConjTrans == 2) + IS(clblasUpper == 0) +
         IS(clblasLower == 1) + IS(clblasUnit == 0) + IS(clblasNonUnit == 1) + IS(clblasLeft == 0) +
         IS(clblasRight == 1) + IS(clblasSuccess == 0) + IS(clblasCompilerNotAvailable == -3) +
         IS(clblasOutOfResources == -5) + IS(clblasOutOfHostMemory == -6) +
         IS(clblasBuildProgramFailure == -11) + IS(clblasInvalidValue == -30) +
         IS(clblasInvalidDevice == -33) + IS(clblasInvalidContext == -34) +
         IS(clblasInvalidCommandQueue == -36) + IS(clblasInvalidMemObject == -38) +
         IS(clblasInvalidEventWaitList == -57) + IS(clblasInvalidOperation == -59) +
         IS(clblasNotImplemented == -1024) + IS(clblasNotInitialized == -1023) +
         IS(clblasInvalidMatA == -1022) + IS(clblasInvalidMatC == -1020) +
         IS(clblasInvalidVecX == -1019) + IS(clblasInvalidVecY == -1018) +
         IS(clblasInvalidDim == -1017) + IS(clblasInvalidLeadDimA == -1016) +
         IS(clblasInvalidLeadDimC == -1014) + IS(clblasInvalidIncX == -1013) +
         IS(clblasInvalidIncY == -1012) + IS(clblasInsufficientMemMatA == -1011) +
         IS(clblasInsufficientMemMatC == -1009) + IS(clblasInsufficientMemVecX == -1008) +
         IS(clblasInsufficientMemVecY == -1007);
}
