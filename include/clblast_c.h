#ifndef CLBLAST_CLBLAST_C_H_
#define CLBLAST_CLBLAST_C_H_

/**
 * @file
 * The C interface of CLBlast, up to its version 1.6, served by Kiln. What the routines compute, and
 * how arguments are understood, is in clblast.h; the letter after CLBlast is the precision: S
 * (float), D (double), C and Z (their complex numbers), H (cl_half).
 */

#include <stddef.h>

#if defined(__APPLE__) || defined(__MACOSX)
#include <OpenCL/opencl.h>
#else
#include <CL/opencl.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Programs may name it: what marks exports where a system needs that. */
#ifndef PUBLIC_API
#define PUBLIC_API
#endif

/** What became of a call: the numbers of clblast::StatusCode. */
typedef enum CLBlastStatusCode_ {
  CLBlastSuccess = 0,
  CLBlastOpenCLCompilerNotAvailable = -3,
  CLBlastTempBufferAllocFailure = -4,
  CLBlastOpenCLOutOfResources = -5,
  CLBlastOpenCLOutOfHostMemory = -6,
  CLBlastOpenCLBuildProgramFailure = -11,
  CLBlastInvalidValue = -30,
  CLBlastInvalidCommandQueue = -36,
  CLBlastInvalidMemObject = -38,
  CLBlastInvalidBinary = -42,
  CLBlastInvalidBuildOptions = -43,
  CLBlastInvalidProgram = -44,
  CLBlastInvalidProgramExecutable = -45,
  CLBlastInvalidKernelName = -46,
  CLBlastInvalidKernelDefinition = -47,
  CLBlastInvalidKernel = -48,
  CLBlastInvalidArgIndex = -49,
  CLBlastInvalidArgValue = -50,
  CLBlastInvalidArgSize = -51,
  CLBlastInvalidKernelArgs = -52,
  CLBlastInvalidLocalNumDimensions = -53,
  CLBlastInvalidLocalThreadsTotal = -54,
  CLBlastInvalidLocalThreadsDim = -55,
  CLBlastInvalidGlobalOffset = -56,
  CLBlastInvalidEventWaitList = -57,
  CLBlastInvalidEvent = -58,
  CLBlastInvalidOperation = -59,
  CLBlastInvalidBufferSize = -61,
  CLBlastInvalidGlobalWorkSize = -63,
  CLBlastNotImplemented = -1024,
  CLBlastInvalidMatrixA = -1022, /**< no buffer of OpenCL */
  CLBlastInvalidMatrixB = -1021,
  CLBlastInvalidMatrixC = -1020,
  CLBlastInvalidVectorX = -1019,
  CLBlastInvalidVectorY = -1018,
  CLBlastInvalidDimension = -1017, /**< a size of zero */
  CLBlastInvalidLeadDimA = -1016,  /**< shorter than the matrix's lines */
  CLBlastInvalidLeadDimB = -1015,
  CLBlastInvalidLeadDimC = -1014,
  CLBlastInvalidIncrementX = -1013, /**< zero */
  CLBlastInvalidIncrementY = -1012,
  CLBlastInsufficientMemoryA = -1011, /**< the buffer ends before the matrix */
  CLBlastInsufficientMemoryB = -1010,
  CLBlastInsufficientMemoryC = -1009,
  CLBlastInsufficientMemoryX = -1008,
  CLBlastInsufficientMemoryY = -1007,
  CLBlastInsufficientMemoryTemp = -2050,
  CLBlastInvalidBatchCount = -2049, /**< zero */
  CLBlastInvalidOverrideKernel = -2048,
  CLBlastMissingOverrideParameter = -2047,
  CLBlastInvalidLocalMemUsage = -2046,
  CLBlastNoHalfPrecision = -2045,
  CLBlastNoDoublePrecision = -2044,        /**< the device has none */
  CLBlastInvalidVectorScalar = -2043,      /**< a result's memory is no buffer */
  CLBlastInsufficientMemoryScalar = -2042, /**< a result's buffer is too short */
  CLBlastDatabaseError = -2041,            /**< no kernel of that name */
  CLBlastUnknownError = -2040,
  CLBlastUnexpectedError = -2039
} CLBlastStatusCode;

typedef enum CLBlastLayout_ {
  CLBlastLayoutRowMajor = 101,
  CLBlastLayoutColMajor = 102
} CLBlastLayout;
typedef enum CLBlastTranspose_ {
  CLBlastTransposeNo = 111,
  CLBlastTransposeYes = 112,
  CLBlastTransposeConjugate = 113
} CLBlastTranspose;
typedef enum CLBlastTriangle_ {
  CLBlastTriangleUpper = 121,
  CLBlastTriangleLower = 122
} CLBlastTriangle;
typedef enum CLBlastDiagonal_ {
  CLBlastDiagonalNonUnit = 131,
  CLBlastDiagonalUnit = 132
} CLBlastDiagonal;
typedef enum CLBlastSide_ { CLBlastSideLeft = 141, CLBlastSideRight = 142 } CLBlastSide;
typedef enum CLBlastKernelMode_ {
  CLBlastKernelModeCrossCorrelation = 151,
  CLBlastKernelModeConvolution = 152
} CLBlastKernelMode;
typedef enum CLBlastPrecision_ {
  CLBlastPrecisionHalf = 16,
  CLBlastPrecisionSingle = 32,
  CLBlastPrecisionDouble = 64,
  CLBlastPrecisionComplexSingle = 3232,
  CLBlastPrecisionComplexDouble = 6464
} CLBlastPrecision;

/* The parameters of an operand, and those that every routine ends with; the event may be NULL. */
#define CLBLAST_BLOCK(x) cl_mem x##_buffer, size_t x##_offset
#define CLBLAST_VECTOR(x) CLBLAST_BLOCK(x), size_t x##_inc
#define CLBLAST_MATRIX(a) CLBLAST_BLOCK(a), size_t a##_ld
#define CLBLAST_QUEUE cl_command_queue *queue, cl_event *event
#define CLBLAST_WINDOW                                                                          \
  size_t channels, size_t height, size_t width, size_t kernel_h, size_t kernel_w, size_t pad_h, \
      size_t pad_w, size_t stride_h, size_t stride_w, size_t dilation_h, size_t dilation_w
#define CLBLAST_PRODUCT                                                                       \
  CLBlastLayout layout, CLBlastTranspose a_transpose, CLBlastTranspose b_transpose, size_t m, \
      size_t n, size_t k
#define CLBLAST_GEMM_SIZES                                                                      \
  CLBLAST_PRODUCT, size_t a_offset, size_t a_ld, size_t b_offset, size_t b_ld, size_t c_offset, \
      size_t c_ld, cl_command_queue *queue, size_t *temp_buffer_size

/* ---- Level 1: vectors */

/** The plane rotation that takes (sa, sb) to (r, 0): sa becomes r, sb the z from which sc and ss
 * can be had again. */
CLBlastStatusCode CLBlastSrotg(CLBLAST_BLOCK(sa), CLBLAST_BLOCK(sb), CLBLAST_BLOCK(sc),
                               CLBLAST_BLOCK(ss), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDrotg(CLBLAST_BLOCK(sa), CLBLAST_BLOCK(sb), CLBLAST_BLOCK(sc),
                               CLBLAST_BLOCK(ss), CLBLAST_QUEUE);

/** The modified rotation that takes (sqrt(sd1) sx1, sqrt(sd2) sy1) to (r, 0); sparam gets five
 * numbers. */
CLBlastStatusCode CLBlastSrotmg(CLBLAST_BLOCK(sd1), CLBLAST_BLOCK(sd2), CLBLAST_BLOCK(sx1),
                                CLBLAST_BLOCK(sy1), CLBLAST_BLOCK(sparam), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDrotmg(CLBLAST_BLOCK(sd1), CLBLAST_BLOCK(sd2), CLBLAST_BLOCK(sx1),
                                CLBLAST_BLOCK(sy1), CLBLAST_BLOCK(sparam), CLBLAST_QUEUE);

/** (x, y) := (cos x + sin y, cos y - sin x) */
CLBlastStatusCode CLBlastSrot(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), float cos, float sin,
                              CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDrot(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), double cos,
                              double sin, CLBLAST_QUEUE);

/** Applies the modified rotation in sparam to the points (x[i], y[i]). */
CLBlastStatusCode CLBlastSrotm(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_BLOCK(sparam), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDrotm(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_BLOCK(sparam), CLBLAST_QUEUE);

/** x and y change places. */
CLBlastStatusCode CLBlastSswap(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDswap(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCswap(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZswap(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHswap(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);

/** x := alpha x */
CLBlastStatusCode CLBlastSscal(size_t n, float alpha, CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDscal(size_t n, double alpha, CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCscal(size_t n, cl_float2 alpha, CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZscal(size_t n, cl_double2 alpha, CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHscal(size_t n, cl_half alpha, CLBLAST_VECTOR(x), CLBLAST_QUEUE);

/** y := x */
CLBlastStatusCode CLBlastScopy(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDcopy(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCcopy(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZcopy(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHcopy(size_t n, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_QUEUE);

/** y := alpha x + y */
CLBlastStatusCode CLBlastSaxpy(size_t n, float alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDaxpy(size_t n, double alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCaxpy(size_t n, cl_float2 alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZaxpy(size_t n, cl_double2 alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHaxpy(size_t n, cl_half alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);

/** dot := the sum of x[i] y[i]; Dotc takes the conjugates of x. */
CLBlastStatusCode CLBlastSdot(size_t n, CLBLAST_BLOCK(dot), CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                              CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDdot(size_t n, CLBLAST_BLOCK(dot), CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                              CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHdot(size_t n, CLBLAST_BLOCK(dot), CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                              CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCdotu(size_t n, CLBLAST_BLOCK(dot), CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZdotu(size_t n, CLBLAST_BLOCK(dot), CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCdotc(size_t n, CLBLAST_BLOCK(dot), CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZdotc(size_t n, CLBLAST_BLOCK(dot), CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);

/** nrm2 := the Euclidean norm of x. Of complex vectors it is the real part of an element. */
CLBlastStatusCode CLBlastSnrm2(size_t n, CLBLAST_BLOCK(nrm2), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDnrm2(size_t n, CLBLAST_BLOCK(nrm2), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastScnrm2(size_t n, CLBLAST_BLOCK(nrm2), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDznrm2(size_t n, CLBLAST_BLOCK(nrm2), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHnrm2(size_t n, CLBLAST_BLOCK(nrm2), CLBLAST_VECTOR(x), CLBLAST_QUEUE);

/** asum := the sum of |Re x[i]| + |Im x[i]|; of complex vectors it is the real part of an element.
 * sum := the sum of x[i]. */
CLBlastStatusCode CLBlastSasum(size_t n, CLBLAST_BLOCK(asum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDasum(size_t n, CLBLAST_BLOCK(asum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastScasum(size_t n, CLBLAST_BLOCK(asum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDzasum(size_t n, CLBLAST_BLOCK(asum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHasum(size_t n, CLBLAST_BLOCK(asum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastSsum(size_t n, CLBLAST_BLOCK(sum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDsum(size_t n, CLBLAST_BLOCK(sum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastScsum(size_t n, CLBLAST_BLOCK(sum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDzsum(size_t n, CLBLAST_BLOCK(sum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHsum(size_t n, CLBLAST_BLOCK(sum), CLBLAST_VECTOR(x), CLBLAST_QUEUE);

/** imax (imin) := the number, from 0 on, of the first element with the largest (smallest) |Re
 * x[i]| + |Im x[i]|, a cl_uint; Max and Min: with the largest (smallest) Re x[i]. */
CLBlastStatusCode CLBlastiSamax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiDamax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiCamax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiZamax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiHamax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiSamin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiDamin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiCamin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiZamin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiHamin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiSmax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiDmax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiCmax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiZmax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiHmax(size_t n, CLBLAST_BLOCK(imax), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiSmin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiDmin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiCmin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiZmin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastiHmin(size_t n, CLBLAST_BLOCK(imin), CLBLAST_VECTOR(x), CLBLAST_QUEUE);

/* ---- Level 2: a matrix and vectors */

/** y := alpha op(A) x + beta y; A is m x n. Gbmv: a band of kl diagonals below the main one and
 * ku above it. */
CLBlastStatusCode CLBlastSgemv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, float alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               float beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDgemv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, double alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               double beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCgemv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, cl_float2 alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               cl_float2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZgemv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, cl_double2 alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               cl_double2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHgemv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, cl_half alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               cl_half beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastSgbmv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, size_t kl, size_t ku, float alpha, CLBLAST_MATRIX(a),
                               CLBLAST_VECTOR(x), float beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDgbmv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, size_t kl, size_t ku, double alpha, CLBLAST_MATRIX(a),
                               CLBLAST_VECTOR(x), double beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCgbmv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, size_t kl, size_t ku, cl_float2 alpha, CLBLAST_MATRIX(a),
                               CLBLAST_VECTOR(x), cl_float2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZgbmv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, size_t kl, size_t ku, cl_double2 alpha, CLBLAST_MATRIX(a),
                               CLBLAST_VECTOR(x), cl_double2 beta, CLBLAST_VECTOR(y),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHgbmv(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                               size_t n, size_t kl, size_t ku, cl_half alpha, CLBLAST_MATRIX(a),
                               CLBLAST_VECTOR(x), cl_half beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);

/** y := alpha A x + beta y with a Hermitian A, of which one triangle is given: all of it, a band
 * of k diagonals next to the main one, or packed. */
CLBlastStatusCode CLBlastChemv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_float2 alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               cl_float2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZhemv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_double2 alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               cl_double2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastChbmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, size_t k,
                               cl_float2 alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               cl_float2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZhbmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, size_t k,
                               cl_double2 alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x),
                               cl_double2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastChpmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_float2 alpha, CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x),
                               cl_float2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZhpmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_double2 alpha, CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x),
                               cl_double2 beta, CLBLAST_VECTOR(y), CLBLAST_QUEUE);

/** The same with a symmetric A. */
CLBlastStatusCode CLBlastSsymv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               float alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), float beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDsymv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               double alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), double beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHsymv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_half alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), cl_half beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastSsbmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, size_t k,
                               float alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), float beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDsbmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, size_t k,
                               double alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), double beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHsbmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, size_t k,
                               cl_half alpha, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), cl_half beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastSspmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               float alpha, CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), float beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDspmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               double alpha, CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), double beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHspmv(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_half alpha, CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), cl_half beta,
                               CLBLAST_VECTOR(y), CLBLAST_QUEUE);

/** x := op(A) x with a triangular A: all of it, a band, packed. */
CLBlastStatusCode CLBlastStrmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDtrmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCtrmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZtrmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHtrmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastStbmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDtbmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCtbmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZtbmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHtbmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastStpmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDtpmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCtpmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZtpmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHtpmv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);

/** Solves op(A) x = b, where x holds b, with a triangular A. Whether it is singular is not
 * tested. */
CLBlastStatusCode CLBlastStrsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDtrsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCtrsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZtrsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastStbsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDtbsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCtbsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZtbsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               size_t k, CLBLAST_MATRIX(a), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastStpsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDtpsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCtpsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZtpsv(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t n,
                               CLBLAST_BLOCK(ap), CLBLAST_VECTOR(x), CLBLAST_QUEUE);

/** A := alpha x y' + A; A is m x n. Gerc takes the conjugates of y. */
CLBlastStatusCode CLBlastSger(CLBlastLayout layout, size_t m, size_t n, float alpha,
                              CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_MATRIX(a),
                              CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDger(CLBlastLayout layout, size_t m, size_t n, double alpha,
                              CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_MATRIX(a),
                              CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHger(CLBlastLayout layout, size_t m, size_t n, cl_half alpha,
                              CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_MATRIX(a),
                              CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCgeru(CLBlastLayout layout, size_t m, size_t n, cl_float2 alpha,
                               CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_MATRIX(a),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZgeru(CLBlastLayout layout, size_t m, size_t n, cl_double2 alpha,
                               CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_MATRIX(a),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCgerc(CLBlastLayout layout, size_t m, size_t n, cl_float2 alpha,
                               CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_MATRIX(a),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZgerc(CLBlastLayout layout, size_t m, size_t n, cl_double2 alpha,
                               CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_MATRIX(a),
                               CLBLAST_QUEUE);

/** A := alpha x x^H + A with a Hermitian A and a real alpha; T is alpha's type. Hpr: packed. */
CLBlastStatusCode CLBlastCher(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, float alpha,
                              CLBLAST_VECTOR(x), CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZher(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                              double alpha, CLBLAST_VECTOR(x), CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastChpr(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, float alpha,
                              CLBLAST_VECTOR(x), CLBLAST_BLOCK(ap), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZhpr(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                              double alpha, CLBLAST_VECTOR(x), CLBLAST_BLOCK(ap), CLBLAST_QUEUE);

/** A := alpha x y^H + conj(alpha) y x^H + A. Hpr2: packed. */
CLBlastStatusCode CLBlastCher2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_float2 alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZher2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_double2 alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastChpr2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_float2 alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_BLOCK(ap), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZhpr2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_double2 alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_BLOCK(ap), CLBLAST_QUEUE);

/** A := alpha x x' + A with a symmetric A. Spr: packed. */
CLBlastStatusCode CLBlastSsyr(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, float alpha,
                              CLBLAST_VECTOR(x), CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDsyr(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                              double alpha, CLBLAST_VECTOR(x), CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHsyr(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                              cl_half alpha, CLBLAST_VECTOR(x), CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastSspr(CLBlastLayout layout, CLBlastTriangle triangle, size_t n, float alpha,
                              CLBLAST_VECTOR(x), CLBLAST_BLOCK(ap), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDspr(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                              double alpha, CLBLAST_VECTOR(x), CLBLAST_BLOCK(ap), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHspr(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                              cl_half alpha, CLBLAST_VECTOR(x), CLBLAST_BLOCK(ap), CLBLAST_QUEUE);

/** A := alpha x y' + alpha y x' + A. Spr2: packed. */
CLBlastStatusCode CLBlastSsyr2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               float alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_MATRIX(a),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDsyr2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               double alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHsyr2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_half alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_MATRIX(a), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastSspr2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               float alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y), CLBLAST_BLOCK(ap),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDspr2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               double alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_BLOCK(ap), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHspr2(CLBlastLayout layout, CLBlastTriangle triangle, size_t n,
                               cl_half alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                               CLBLAST_BLOCK(ap), CLBLAST_QUEUE);

/* ---- Level 3: matrices */

/** C := alpha op(A) op(B) + beta C; op(A) is m x k, op(B) k x n. temp_buffer is accepted and not
 * used. */
CLBlastStatusCode CLBlastSgemm(CLBLAST_PRODUCT, float alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               float beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastSgemmWithTempBuffer(CLBLAST_PRODUCT, float alpha, CLBLAST_MATRIX(a),
                                             CLBLAST_MATRIX(b), float beta, CLBLAST_MATRIX(c),
                                             CLBLAST_QUEUE, cl_mem temp_buffer);
CLBlastStatusCode CLBlastDgemm(CLBLAST_PRODUCT, double alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               double beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDgemmWithTempBuffer(CLBLAST_PRODUCT, double alpha, CLBLAST_MATRIX(a),
                                             CLBLAST_MATRIX(b), double beta, CLBLAST_MATRIX(c),
                                             CLBLAST_QUEUE, cl_mem temp_buffer);
CLBlastStatusCode CLBlastCgemm(CLBLAST_PRODUCT, cl_float2 alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), cl_float2 beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCgemmWithTempBuffer(CLBLAST_PRODUCT, cl_float2 alpha, CLBLAST_MATRIX(a),
                                             CLBLAST_MATRIX(b), cl_float2 beta, CLBLAST_MATRIX(c),
                                             CLBLAST_QUEUE, cl_mem temp_buffer);
CLBlastStatusCode CLBlastZgemm(CLBLAST_PRODUCT, cl_double2 alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), cl_double2 beta, CLBLAST_MATRIX(c),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZgemmWithTempBuffer(CLBLAST_PRODUCT, cl_double2 alpha, CLBLAST_MATRIX(a),
                                             CLBLAST_MATRIX(b), cl_double2 beta, CLBLAST_MATRIX(c),
                                             CLBLAST_QUEUE, cl_mem temp_buffer);
CLBlastStatusCode CLBlastHgemm(CLBLAST_PRODUCT, cl_half alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               cl_half beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHgemmWithTempBuffer(CLBLAST_PRODUCT, cl_half alpha, CLBLAST_MATRIX(a),
                                             CLBLAST_MATRIX(b), cl_half beta, CLBLAST_MATRIX(c),
                                             CLBLAST_QUEUE, cl_mem temp_buffer);

/** C := alpha A B + beta C, or alpha B A + beta C; C is m x n, A symmetric (Hemm: Hermitian). */
CLBlastStatusCode CLBlastSsymm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               size_t m, size_t n, float alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), float beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDsymm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               size_t m, size_t n, double alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), double beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCsymm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               size_t m, size_t n, cl_float2 alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), cl_float2 beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZsymm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               size_t m, size_t n, cl_double2 alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), cl_double2 beta, CLBLAST_MATRIX(c),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHsymm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               size_t m, size_t n, cl_half alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), cl_half beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastChemm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               size_t m, size_t n, cl_float2 alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), cl_float2 beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZhemm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               size_t m, size_t n, cl_double2 alpha, CLBLAST_MATRIX(a),
                               CLBLAST_MATRIX(b), cl_double2 beta, CLBLAST_MATRIX(c),
                               CLBLAST_QUEUE);

/** C := alpha op(A) op(A)' + beta C; C is n x n and symmetric, op(A) n x k. Herk: C is Hermitian, *
 * with real alpha and beta, whose type is T. */
CLBlastStatusCode CLBlastSsyrk(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, size_t n, size_t k, float alpha,
                               CLBLAST_MATRIX(a), float beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDsyrk(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, size_t n, size_t k, double alpha,
                               CLBLAST_MATRIX(a), double beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCsyrk(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, size_t n, size_t k, cl_float2 alpha,
                               CLBLAST_MATRIX(a), cl_float2 beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZsyrk(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, size_t n, size_t k, cl_double2 alpha,
                               CLBLAST_MATRIX(a), cl_double2 beta, CLBLAST_MATRIX(c),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHsyrk(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, size_t n, size_t k, cl_half alpha,
                               CLBLAST_MATRIX(a), cl_half beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCherk(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, size_t n, size_t k, float alpha,
                               CLBLAST_MATRIX(a), float beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZherk(CLBlastLayout layout, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, size_t n, size_t k, double alpha,
                               CLBLAST_MATRIX(a), double beta, CLBLAST_MATRIX(c), CLBLAST_QUEUE);

/** C := alpha op(A) op(B)' + alpha op(B) op(A)' + beta C. Her2k: with conjugates, the second term
 * that of conj(alpha), and a real beta of type U. */
CLBlastStatusCode CLBlastSsyr2k(CLBlastLayout layout, CLBlastTriangle triangle,
                                CLBlastTranspose ab_transpose, size_t n, size_t k, float alpha,
                                CLBLAST_MATRIX(a), CLBLAST_MATRIX(b), float beta, CLBLAST_MATRIX(c),
                                CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDsyr2k(CLBlastLayout layout, CLBlastTriangle triangle,
                                CLBlastTranspose ab_transpose, size_t n, size_t k, double alpha,
                                CLBLAST_MATRIX(a), CLBLAST_MATRIX(b), double beta,
                                CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCsyr2k(CLBlastLayout layout, CLBlastTriangle triangle,
                                CLBlastTranspose ab_transpose, size_t n, size_t k, cl_float2 alpha,
                                CLBLAST_MATRIX(a), CLBLAST_MATRIX(b), cl_float2 beta,
                                CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZsyr2k(CLBlastLayout layout, CLBlastTriangle triangle,
                                CLBlastTranspose ab_transpose, size_t n, size_t k, cl_double2 alpha,
                                CLBLAST_MATRIX(a), CLBLAST_MATRIX(b), cl_double2 beta,
                                CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHsyr2k(CLBlastLayout layout, CLBlastTriangle triangle,
                                CLBlastTranspose ab_transpose, size_t n, size_t k, cl_half alpha,
                                CLBLAST_MATRIX(a), CLBLAST_MATRIX(b), cl_half beta,
                                CLBLAST_MATRIX(c), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCher2k(CLBlastLayout layout, CLBlastTriangle triangle,
                                CLBlastTranspose ab_transpose, size_t n, size_t k, cl_float2 alpha,
                                CLBLAST_MATRIX(a), CLBLAST_MATRIX(b), float beta, CLBLAST_MATRIX(c),
                                CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZher2k(CLBlastLayout layout, CLBlastTriangle triangle,
                                CLBlastTranspose ab_transpose, size_t n, size_t k, cl_double2 alpha,
                                CLBLAST_MATRIX(a), CLBLAST_MATRIX(b), double beta,
                                CLBLAST_MATRIX(c), CLBLAST_QUEUE);

/** B := alpha op(A) B, or alpha B op(A); B is m x n, A triangular. */
CLBlastStatusCode CLBlastStrmm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, float alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDtrmm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, double alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCtrmm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, cl_float2 alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZtrmm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, cl_double2 alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHtrmm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, cl_half alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);

/** Solves op(A) X = alpha B, or X op(A) = alpha B; X takes the place of B. */
CLBlastStatusCode CLBlastStrsm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, float alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDtrsm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, double alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCtrsm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, cl_float2 alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZtrsm(CLBlastLayout layout, CLBlastSide side, CLBlastTriangle triangle,
                               CLBlastTranspose a_transpose, CLBlastDiagonal diagonal, size_t m,
                               size_t n, cl_double2 alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                               CLBLAST_QUEUE);

/* ---- What BLAS does not have */

/** z[i] := alpha x[i] y[i] + beta z[i] */
CLBlastStatusCode CLBlastShad(size_t n, float alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                              float beta, CLBLAST_VECTOR(z), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDhad(size_t n, double alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                              double beta, CLBLAST_VECTOR(z), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastChad(size_t n, cl_float2 alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                              cl_float2 beta, CLBLAST_VECTOR(z), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZhad(size_t n, cl_double2 alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                              cl_double2 beta, CLBLAST_VECTOR(z), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHhad(size_t n, cl_half alpha, CLBLAST_VECTOR(x), CLBLAST_VECTOR(y),
                              cl_half beta, CLBLAST_VECTOR(z), CLBLAST_QUEUE);

/** B := alpha op(A); A is m x n. They must not overlap. */
CLBlastStatusCode CLBlastSomatcopy(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                                   size_t n, float alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                                   CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDomatcopy(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                                   size_t n, double alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                                   CLBLAST_QUEUE);
CLBlastStatusCode CLBlastComatcopy(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                                   size_t n, cl_float2 alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                                   CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZomatcopy(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                                   size_t n, cl_double2 alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                                   CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHomatcopy(CLBlastLayout layout, CLBlastTranspose a_transpose, size_t m,
                                   size_t n, cl_half alpha, CLBLAST_MATRIX(a), CLBLAST_MATRIX(b),
                                   CLBLAST_QUEUE);

/** col := the patches of an image, one behind another as its rows: for each channel and point of
 * the filter, the elements that it covers at all of its places. Col2im adds
 * to each element of an image what all patches have of it. */
CLBlastStatusCode CLBlastSim2col(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(im),
                                 CLBLAST_BLOCK(col), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDim2col(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(im),
                                 CLBLAST_BLOCK(col), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCim2col(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(im),
                                 CLBLAST_BLOCK(col), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZim2col(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(im),
                                 CLBLAST_BLOCK(col), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHim2col(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(im),
                                 CLBLAST_BLOCK(col), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastScol2im(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(col),
                                 CLBLAST_BLOCK(im), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDcol2im(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(col),
                                 CLBLAST_BLOCK(im), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCcol2im(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(col),
                                 CLBLAST_BLOCK(im), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZcol2im(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(col),
                                 CLBLAST_BLOCK(im), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHcol2im(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW, CLBLAST_BLOCK(col),
                                 CLBLAST_BLOCK(im), CLBLAST_QUEUE);

/** result := the convolutions of batch_count images with num_kernels filters. */
CLBlastStatusCode CLBlastSconvgemm(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW,
                                   size_t num_kernels, size_t batch_count, CLBLAST_BLOCK(im),
                                   CLBLAST_BLOCK(kernel), CLBLAST_BLOCK(result), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDconvgemm(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW,
                                   size_t num_kernels, size_t batch_count, CLBLAST_BLOCK(im),
                                   CLBLAST_BLOCK(kernel), CLBLAST_BLOCK(result), CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHconvgemm(CLBlastKernelMode kernel_mode, CLBLAST_WINDOW,
                                   size_t num_kernels, size_t batch_count, CLBLAST_BLOCK(im),
                                   CLBLAST_BLOCK(kernel), CLBLAST_BLOCK(result), CLBLAST_QUEUE);

/** y := alpha x + y, batch_count times: with a scalar and offsets for each. */
CLBlastStatusCode CLBlastSaxpyBatched(size_t n, const float* alphas, cl_mem x_buffer,
                                      const size_t* x_offsets, size_t x_inc, cl_mem y_buffer,
                                      const size_t* y_offsets, size_t y_inc, size_t batch_count,
                                      CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDaxpyBatched(size_t n, const double* alphas, cl_mem x_buffer,
                                      const size_t* x_offsets, size_t x_inc, cl_mem y_buffer,
                                      const size_t* y_offsets, size_t y_inc, size_t batch_count,
                                      CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCaxpyBatched(size_t n, const cl_float2* alphas, cl_mem x_buffer,
                                      const size_t* x_offsets, size_t x_inc, cl_mem y_buffer,
                                      const size_t* y_offsets, size_t y_inc, size_t batch_count,
                                      CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZaxpyBatched(size_t n, const cl_double2* alphas, cl_mem x_buffer,
                                      const size_t* x_offsets, size_t x_inc, cl_mem y_buffer,
                                      const size_t* y_offsets, size_t y_inc, size_t batch_count,
                                      CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHaxpyBatched(size_t n, const cl_half* alphas, cl_mem x_buffer,
                                      const size_t* x_offsets, size_t x_inc, cl_mem y_buffer,
                                      const size_t* y_offsets, size_t y_inc, size_t batch_count,
                                      CLBLAST_QUEUE);

/** Gemm, batch_count times: with scalars and offsets for each. */
CLBlastStatusCode CLBlastSgemmBatched(CLBLAST_PRODUCT, const float* alphas, cl_mem a_buffer,
                                      const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                                      const size_t* b_offsets, size_t b_ld, const float* betas,
                                      cl_mem c_buffer, const size_t* c_offsets, size_t c_ld,
                                      size_t batch_count, CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDgemmBatched(CLBLAST_PRODUCT, const double* alphas, cl_mem a_buffer,
                                      const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                                      const size_t* b_offsets, size_t b_ld, const double* betas,
                                      cl_mem c_buffer, const size_t* c_offsets, size_t c_ld,
                                      size_t batch_count, CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCgemmBatched(CLBLAST_PRODUCT, const cl_float2* alphas, cl_mem a_buffer,
                                      const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                                      const size_t* b_offsets, size_t b_ld, const cl_float2* betas,
                                      cl_mem c_buffer, const size_t* c_offsets, size_t c_ld,
                                      size_t batch_count, CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZgemmBatched(CLBLAST_PRODUCT, const cl_double2* alphas, cl_mem a_buffer,
                                      const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                                      const size_t* b_offsets, size_t b_ld, const cl_double2* betas,
                                      cl_mem c_buffer, const size_t* c_offsets, size_t c_ld,
                                      size_t batch_count, CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHgemmBatched(CLBLAST_PRODUCT, const cl_half* alphas, cl_mem a_buffer,
                                      const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                                      const size_t* b_offsets, size_t b_ld, const cl_half* betas,
                                      cl_mem c_buffer, const size_t* c_offsets, size_t c_ld,
                                      size_t batch_count, CLBLAST_QUEUE);

/** Gemm, batch_count times: of matrices that lie a stride apart. */
CLBlastStatusCode CLBlastSgemmStridedBatched(CLBLAST_PRODUCT, float alpha, CLBLAST_MATRIX(a),
                                             size_t a_stride, CLBLAST_MATRIX(b), size_t b_stride,
                                             float beta, CLBLAST_MATRIX(c), size_t c_stride,
                                             size_t batch_count, CLBLAST_QUEUE);
CLBlastStatusCode CLBlastDgemmStridedBatched(CLBLAST_PRODUCT, double alpha, CLBLAST_MATRIX(a),
                                             size_t a_stride, CLBLAST_MATRIX(b), size_t b_stride,
                                             double beta, CLBLAST_MATRIX(c), size_t c_stride,
                                             size_t batch_count, CLBLAST_QUEUE);
CLBlastStatusCode CLBlastCgemmStridedBatched(CLBLAST_PRODUCT, cl_float2 alpha, CLBLAST_MATRIX(a),
                                             size_t a_stride, CLBLAST_MATRIX(b), size_t b_stride,
                                             cl_float2 beta, CLBLAST_MATRIX(c), size_t c_stride,
                                             size_t batch_count, CLBLAST_QUEUE);
CLBlastStatusCode CLBlastZgemmStridedBatched(CLBLAST_PRODUCT, cl_double2 alpha, CLBLAST_MATRIX(a),
                                             size_t a_stride, CLBLAST_MATRIX(b), size_t b_stride,
                                             cl_double2 beta, CLBLAST_MATRIX(c), size_t c_stride,
                                             size_t batch_count, CLBLAST_QUEUE);
CLBlastStatusCode CLBlastHgemmStridedBatched(CLBLAST_PRODUCT, cl_half alpha, CLBLAST_MATRIX(a),
                                             size_t a_stride, CLBLAST_MATRIX(b), size_t b_stride,
                                             cl_half beta, CLBLAST_MATRIX(c), size_t c_stride,
                                             size_t batch_count, CLBLAST_QUEUE);

/* ---- The library */

/** temp_buffer_size := the bytes that gemm wants of a temp_buffer: 0, always. */
CLBlastStatusCode CLBlastSGemmTempBufferSize(CLBLAST_GEMM_SIZES);
CLBlastStatusCode CLBlastDGemmTempBufferSize(CLBLAST_GEMM_SIZES);
CLBlastStatusCode CLBlastCGemmTempBufferSize(CLBLAST_GEMM_SIZES);
CLBlastStatusCode CLBlastZGemmTempBufferSize(CLBLAST_GEMM_SIZES);
CLBlastStatusCode CLBlastHGemmTempBufferSize(CLBLAST_GEMM_SIZES);

/** As clblast::ClearCache, FillCache and OverrideParameters. */
CLBlastStatusCode CLBlastClearCache(void);
CLBlastStatusCode CLBlastFillCache(cl_device_id device);
CLBlastStatusCode CLBlastOverrideParameters(cl_device_id device, const char* kernel_name,
                                            CLBlastPrecision precision, size_t num_parameters,
                                            const char** parameters_names,
                                            const size_t* parameters_values);

#undef CLBLAST_GEMM_SIZES
#undef CLBLAST_PRODUCT
#undef CLBLAST_WINDOW
#undef CLBLAST_QUEUE
#undef CLBLAST_MATRIX
#undef CLBLAST_VECTOR
#undef CLBLAST_BLOCK

#ifdef __cplusplus
}
#endif

#endif
