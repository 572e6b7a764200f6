#ifndef CLBLAS_H_
#define CLBLAS_H_

/**
 * @file
 * The C interface of clBLAS 2.12, served by Kiln. BLAS on matrices and vectors in OpenCL buffers,
 * in the precisions S (float), D (double), C and Z (their complex numbers).
 *
 * Sizes, offsets, leading dimensions and increments count elements, never bytes. A matrix is
 * (buffer, offset, leading dimension): columns that lie one after the other, or rows, as `order`
 * says. A vector is (buffer, offset, increment); with a negative increment, BLAS goes through it
 * from its far end. Packed matrices (AP) are triangles without gaps, banded ones have their
 * diagonals as lines, both as in the reference BLAS. Scalar arguments are passed by value, scalar
 * results go to buffers. Scratch buffers are accepted and not used; they may be NULL.
 *
 * Every routine of the three levels ends with the same five arguments:
 *
 *   numCommandQueues     how many queues follow, at least one
 *   commandQueues        in-order or out-of-order queues of one context, which share the work; the
 *                        devices are theirs
 *   numEventsInWaitList  how many events follow, or 0
 *   eventWaitList        the work begins after all of them, or NULL
 *   events               NULL, or room for an event per queue: that queue's part of the work is
 *                        done when the event is complete. The caller releases them. Queues that
 *                        got no part have NULL there; the first queue always has a part.
 *
 * A routine returns when its work is on the queues. Where it returns an error, it has put nothing
 * in `events`. All functions but clblasTeardown may be called from any number of threads at once.
 */

#include <clBLAS-complex.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether the rows or the columns of a matrix are contiguous. */
typedef enum clblasOrder_ { clblasRowMajor = 0, clblasColumnMajor = 1 } clblasOrder;

/** op(A): A, its transpose, its conjugate transpose (the transpose, for real numbers). */
typedef enum clblasTranspose_ {
  clblasNoTrans = 0,
  clblasTrans = 1,
  clblasConjTrans = 2
} clblasTranspose;

/** Which triangle of a matrix is given, or written; the other one is not touched. */
typedef enum clblasUplo_ { clblasUpper = 0, clblasLower = 1 } clblasUplo;

/** Whether the diagonal of a triangle is given, or all ones and never read. */
typedef enum clblasDiag_ { clblasUnit = 0, clblasNonUnit = 1 } clblasDiag;

/** Which factor of a product the special matrix is. */
typedef enum clblasSide_ { clblasLeft = 0, clblasRight = 1 } clblasSide;

/** What became of a call. Any further negative value is a status of OpenCL. */
typedef enum clblasStatus_ {
  clblasSuccess = CL_SUCCESS,
  clblasInvalidValue = CL_INVALID_VALUE,
  clblasInvalidCommandQueue = CL_INVALID_COMMAND_QUEUE,
  clblasInvalidContext = CL_INVALID_CONTEXT,
  clblasInvalidMemObject = CL_INVALID_MEM_OBJECT,
  clblasInvalidDevice = CL_INVALID_DEVICE, /**< also: it has no double precision */
  clblasInvalidEventWaitList = CL_INVALID_EVENT_WAIT_LIST,
  clblasOutOfResources = CL_OUT_OF_RESOURCES,
  clblasOutOfHostMemory = CL_OUT_OF_HOST_MEMORY,
  clblasInvalidOperation = CL_INVALID_OPERATION,
  clblasCompilerNotAvailable = CL_COMPILER_NOT_AVAILABLE,
  clblasBuildProgramFailure = CL_BUILD_PROGRAM_FAILURE,

  clblasNotImplemented = -1024,
  clblasNotInitialized = -1023, /**< never returned: no call needs clblasSetup */
  clblasInvalidMatA = -1022,    /**< a matrix or vector is NULL */
  clblasInvalidMatB = -1021,
  clblasInvalidMatC = -1020,
  clblasInvalidVecX = -1019,
  clblasInvalidVecY = -1018,
  clblasInvalidDim = -1017,      /**< M or N is zero */
  clblasInvalidLeadDimA = -1016, /**< less than the length of a column (or row) */
  clblasInvalidLeadDimB = -1015,
  clblasInvalidLeadDimC = -1014,
  clblasInvalidIncX = -1013, /**< zero */
  clblasInvalidIncY = -1012,
  clblasInsufficientMemMatA = -1011, /**< the buffer ends before the matrix or vector does */
  clblasInsufficientMemMatB = -1010,
  clblasInsufficientMemMatC = -1009,
  clblasInsufficientMemVecX = -1008,
  clblasInsufficientMemVecY = -1007
} clblasStatus;

/* The common end of every routine's arguments, in this header only. */
#define CLBLAS_QUEUES                                                                     \
  cl_uint numCommandQueues, cl_command_queue *commandQueues, cl_uint numEventsInWaitList, \
      const cl_event *eventWaitList, cl_event *events

/* ---- The library ---- */

/** The version of clBLAS that this interface is; pointers may be NULL. */
clblasStatus clblasGetVersion(cl_uint* major, cl_uint* minor, cl_uint* patch);

/** Does nothing that a first call would not do. May be called any number of times. */
clblasStatus clblasSetup(void);

/** Forgets everything that was prepared for calls; a later call prepares it again. The one function
 *  that needs all others to have returned. May be called any number of times.
 *
 *  A context that calls were made with stays alive until then, with about a megabyte of programs
 *  and workspace, even where the caller has released it: clBLAS does the same. Without this call it
 *  ends when calls with 32 further contexts have come. */
void clblasTeardown(void);

/* ---- Level 1: vectors of N elements ---- */

/** x and y change places. */
clblasStatus clblasSswap(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasDswap(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasCswap(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasZswap(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);

/** x := alpha x */
clblasStatus clblasSscal(size_t N, cl_float alpha, cl_mem X, size_t offx, int incx, CLBLAS_QUEUES);
clblasStatus clblasDscal(size_t N, cl_double alpha, cl_mem X, size_t offx, int incx, CLBLAS_QUEUES);
clblasStatus clblasCscal(size_t N, FloatComplex alpha, cl_mem X, size_t offx, int incx,
                         CLBLAS_QUEUES);
clblasStatus clblasZscal(size_t N, DoubleComplex alpha, cl_mem X, size_t offx, int incx,
                         CLBLAS_QUEUES);
clblasStatus clblasCsscal(size_t N, cl_float alpha, cl_mem X, size_t offx, int incx, CLBLAS_QUEUES);
clblasStatus clblasZdscal(size_t N, cl_double alpha, cl_mem X, size_t offx, int incx,
                          CLBLAS_QUEUES);

/** y := x */
clblasStatus clblasScopy(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasDcopy(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasCcopy(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasZcopy(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);

/** y := alpha x + y */
clblasStatus clblasSaxpy(size_t N, cl_float alpha, cl_mem X, size_t offx, int incx, cl_mem Y,
                         size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasDaxpy(size_t N, cl_double alpha, cl_mem X, size_t offx, int incx, cl_mem Y,
                         size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasCaxpy(size_t N, FloatComplex alpha, cl_mem X, size_t offx, int incx, cl_mem Y,
                         size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasZaxpy(size_t N, DoubleComplex alpha, cl_mem X, size_t offx, int incx, cl_mem Y,
                         size_t offy, int incy, CLBLAS_QUEUES);

/** dotProduct := the sum of x[i] y[i]; dotc takes the conjugates of x. */
clblasStatus clblasSdot(size_t N, cl_mem dotProduct, size_t offDP, cl_mem X, size_t offx, int incx,
                        cl_mem Y, size_t offy, int incy, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasDdot(size_t N, cl_mem dotProduct, size_t offDP, cl_mem X, size_t offx, int incx,
                        cl_mem Y, size_t offy, int incy, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasCdotu(size_t N, cl_mem dotProduct, size_t offDP, cl_mem X, size_t offx, int incx,
                         cl_mem Y, size_t offy, int incy, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasZdotu(size_t N, cl_mem dotProduct, size_t offDP, cl_mem X, size_t offx, int incx,
                         cl_mem Y, size_t offy, int incy, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasCdotc(size_t N, cl_mem dotProduct, size_t offDP, cl_mem X, size_t offx, int incx,
                         cl_mem Y, size_t offy, int incy, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasZdotc(size_t N, cl_mem dotProduct, size_t offDP, cl_mem X, size_t offx, int incx,
                         cl_mem Y, size_t offy, int incy, cl_mem scratchBuff, CLBLAS_QUEUES);

/** C and S of the plane rotation that takes (a, b) to (r, 0); SA (DA, CA) becomes r, and for real
 *  numbers SB (DB) becomes the z from which C and S can be had again. C is real. */
clblasStatus clblasSrotg(cl_mem SA, size_t offSA, cl_mem SB, size_t offSB, cl_mem C, size_t offC,
                         cl_mem S, size_t offS, CLBLAS_QUEUES);
clblasStatus clblasDrotg(cl_mem DA, size_t offDA, cl_mem DB, size_t offDB, cl_mem C, size_t offC,
                         cl_mem S, size_t offS, CLBLAS_QUEUES);
clblasStatus clblasCrotg(cl_mem CA, size_t offCA, cl_mem CB, size_t offCB, cl_mem C, size_t offC,
                         cl_mem S, size_t offS, CLBLAS_QUEUES);
clblasStatus clblasZrotg(cl_mem CA, size_t offCA, cl_mem CB, size_t offCB, cl_mem C, size_t offC,
                         cl_mem S, size_t offS, CLBLAS_QUEUES);

/** The modified rotation that takes (sqrt(D1) X1, sqrt(D2) Y1) to (r, 0); D1, D2 and X1 become
 * those of the result. PARAM gets five numbers, the first of which tells the form of the others. */
clblasStatus clblasSrotmg(cl_mem SD1, size_t offSD1, cl_mem SD2, size_t offSD2, cl_mem SX1,
                          size_t offSX1, cl_mem SY1, size_t offSY1, cl_mem SPARAM, size_t offSparam,
                          CLBLAS_QUEUES);
clblasStatus clblasDrotmg(cl_mem DD1, size_t offDD1, cl_mem DD2, size_t offDD2, cl_mem DX1,
                          size_t offDX1, cl_mem DY1, size_t offDY1, cl_mem DPARAM, size_t offDparam,
                          CLBLAS_QUEUES);

/** Rotates the points (x[i], y[i]): x := C x + S y, y := C y - S x. */
clblasStatus clblasSrot(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                        cl_float C, cl_float S, CLBLAS_QUEUES);
clblasStatus clblasDrot(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                        cl_double C, cl_double S, CLBLAS_QUEUES);
clblasStatus clblasCsrot(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         cl_float C, cl_float S, CLBLAS_QUEUES);
clblasStatus clblasZdrot(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         cl_double C, cl_double S, CLBLAS_QUEUES);

/** Applies the modified rotation in PARAM to the points (x[i], y[i]). */
clblasStatus clblasSrotm(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         cl_mem SPARAM, size_t offSparam, CLBLAS_QUEUES);
clblasStatus clblasDrotm(size_t N, cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         cl_mem DPARAM, size_t offDparam, CLBLAS_QUEUES);

/** NRM2 := the Euclidean norm of x, a real number. */
clblasStatus clblasSnrm2(size_t N, cl_mem NRM2, size_t offNRM2, cl_mem X, size_t offx, int incx,
                         cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasDnrm2(size_t N, cl_mem NRM2, size_t offNRM2, cl_mem X, size_t offx, int incx,
                         cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasScnrm2(size_t N, cl_mem NRM2, size_t offNRM2, cl_mem X, size_t offx, int incx,
                          cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasDznrm2(size_t N, cl_mem NRM2, size_t offNRM2, cl_mem X, size_t offx, int incx,
                          cl_mem scratchBuff, CLBLAS_QUEUES);

/** iMax := where the largest |x[i]| (complex: |re| + |im|) is first, counted from 1; a cl_uint. */
clblasStatus clblasiSamax(size_t N, cl_mem iMax, size_t offiMax, cl_mem X, size_t offx, int incx,
                          cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasiDamax(size_t N, cl_mem iMax, size_t offiMax, cl_mem X, size_t offx, int incx,
                          cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasiCamax(size_t N, cl_mem iMax, size_t offiMax, cl_mem X, size_t offx, int incx,
                          cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasiZamax(size_t N, cl_mem iMax, size_t offiMax, cl_mem X, size_t offx, int incx,
                          cl_mem scratchBuff, CLBLAS_QUEUES);

/** asum := the sum of |x[i]| (complex: |re| + |im|), a real number. */
clblasStatus clblasSasum(size_t N, cl_mem asum, size_t offAsum, cl_mem X, size_t offx, int incx,
                         cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasDasum(size_t N, cl_mem asum, size_t offAsum, cl_mem X, size_t offx, int incx,
                         cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasScasum(size_t N, cl_mem asum, size_t offAsum, cl_mem X, size_t offx, int incx,
                          cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasDzasum(size_t N, cl_mem asum, size_t offAsum, cl_mem X, size_t offx, int incx,
                          cl_mem scratchBuff, CLBLAS_QUEUES);

/* ---- Level 2: matrices with vectors ---- */

/** y := alpha op(A) x + beta y; A has M rows and N columns, before op. */
clblasStatus clblasSgemv(clblasOrder order, clblasTranspose transA, size_t M, size_t N,
                         cl_float alpha, cl_mem A, size_t offA, size_t lda, cl_mem x, size_t offx,
                         int incx, cl_float beta, cl_mem y, size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasDgemv(clblasOrder order, clblasTranspose transA, size_t M, size_t N,
                         cl_double alpha, cl_mem A, size_t offA, size_t lda, cl_mem x, size_t offx,
                         int incx, cl_double beta, cl_mem y, size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasCgemv(clblasOrder order, clblasTranspose transA, size_t M, size_t N,
                         FloatComplex alpha, cl_mem A, size_t offA, size_t lda, cl_mem x,
                         size_t offx, int incx, FloatComplex beta, cl_mem y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasZgemv(clblasOrder order, clblasTranspose transA, size_t M, size_t N,
                         DoubleComplex alpha, cl_mem A, size_t offA, size_t lda, cl_mem x,
                         size_t offx, int incx, DoubleComplex beta, cl_mem y, size_t offy, int incy,
                         CLBLAS_QUEUES);

/** y := alpha A x + beta y; A is symmetric, N x N. */
clblasStatus clblasSsymv(clblasOrder order, clblasUplo uplo, size_t N, cl_float alpha, cl_mem A,
                         size_t offA, size_t lda, cl_mem x, size_t offx, int incx, cl_float beta,
                         cl_mem y, size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasDsymv(clblasOrder order, clblasUplo uplo, size_t N, cl_double alpha, cl_mem A,
                         size_t offA, size_t lda, cl_mem x, size_t offx, int incx, cl_double beta,
                         cl_mem y, size_t offy, int incy, CLBLAS_QUEUES);

/** y := alpha A x + beta y; A is Hermitian, and its diagonal taken as real. */
clblasStatus clblasChemv(clblasOrder order, clblasUplo uplo, size_t N, FloatComplex alpha, cl_mem A,
                         size_t offa, size_t lda, cl_mem X, size_t offx, int incx,
                         FloatComplex beta, cl_mem Y, size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasZhemv(clblasOrder order, clblasUplo uplo, size_t N, DoubleComplex alpha,
                         cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx, int incx,
                         DoubleComplex beta, cl_mem Y, size_t offy, int incy, CLBLAS_QUEUES);

/** x := op(A) x; A is triangular, N x N. */
clblasStatus clblasStrmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx,
                         int incx, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasDtrmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx,
                         int incx, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasCtrmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx,
                         int incx, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasZtrmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx,
                         int incx, cl_mem scratchBuff, CLBLAS_QUEUES);

/** Solves op(A) x = b for x, which holds b before; A is triangular. Singular A is not found out. */
clblasStatus clblasStrsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx,
                         int incx, CLBLAS_QUEUES);
clblasStatus clblasDtrsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx,
                         int incx, CLBLAS_QUEUES);
clblasStatus clblasCtrsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx,
                         int incx, CLBLAS_QUEUES);
clblasStatus clblasZtrsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx,
                         int incx, CLBLAS_QUEUES);

/** A := alpha x y^T + A, M x N; gerc takes the conjugates of y. */
clblasStatus clblasSger(clblasOrder order, size_t M, size_t N, cl_float alpha, cl_mem X,
                        size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                        size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasDger(clblasOrder order, size_t M, size_t N, cl_double alpha, cl_mem X,
                        size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                        size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasCgeru(clblasOrder order, size_t M, size_t N, FloatComplex alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                         size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasZgeru(clblasOrder order, size_t M, size_t N, DoubleComplex alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                         size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasCgerc(clblasOrder order, size_t M, size_t N, FloatComplex alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                         size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasZgerc(clblasOrder order, size_t M, size_t N, DoubleComplex alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                         size_t offa, size_t lda, CLBLAS_QUEUES);

/** A := alpha x x^T + A; A is symmetric, N x N. */
clblasStatus clblasSsyr(clblasOrder order, clblasUplo uplo, size_t N, cl_float alpha, cl_mem X,
                        size_t offx, int incx, cl_mem A, size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasDsyr(clblasOrder order, clblasUplo uplo, size_t N, cl_double alpha, cl_mem X,
                        size_t offx, int incx, cl_mem A, size_t offa, size_t lda, CLBLAS_QUEUES);

/** A := alpha x x^H + A; A is Hermitian, alpha real. */
clblasStatus clblasCher(clblasOrder order, clblasUplo uplo, size_t N, cl_float alpha, cl_mem X,
                        size_t offx, int incx, cl_mem A, size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasZher(clblasOrder order, clblasUplo uplo, size_t N, cl_double alpha, cl_mem X,
                        size_t offx, int incx, cl_mem A, size_t offa, size_t lda, CLBLAS_QUEUES);

/** A := alpha x y^T + alpha y x^T + A; A is symmetric. */
clblasStatus clblasSsyr2(clblasOrder order, clblasUplo uplo, size_t N, cl_float alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                         size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasDsyr2(clblasOrder order, clblasUplo uplo, size_t N, cl_double alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                         size_t offa, size_t lda, CLBLAS_QUEUES);

/** A := alpha x y^H + conj(alpha) y x^H + A; A is Hermitian. */
clblasStatus clblasCher2(clblasOrder order, clblasUplo uplo, size_t N, FloatComplex alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                         size_t offa, size_t lda, CLBLAS_QUEUES);
clblasStatus clblasZher2(clblasOrder order, clblasUplo uplo, size_t N, DoubleComplex alpha,
                         cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem A,
                         size_t offa, size_t lda, CLBLAS_QUEUES);

/** trmv with a packed matrix. */
clblasStatus clblasStpmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem AP, size_t offa, cl_mem X, size_t offx, int incx,
                         cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasDtpmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem AP, size_t offa, cl_mem X, size_t offx, int incx,
                         cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasCtpmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem AP, size_t offa, cl_mem X, size_t offx, int incx,
                         cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasZtpmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem AP, size_t offa, cl_mem X, size_t offx, int incx,
                         cl_mem scratchBuff, CLBLAS_QUEUES);

/** trsv with a packed matrix. */
clblasStatus clblasStpsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, cl_mem X, size_t offx, int incx,
                         CLBLAS_QUEUES);
clblasStatus clblasDtpsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, cl_mem X, size_t offx, int incx,
                         CLBLAS_QUEUES);
clblasStatus clblasCtpsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, cl_mem X, size_t offx, int incx,
                         CLBLAS_QUEUES);
clblasStatus clblasZtpsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, cl_mem A, size_t offa, cl_mem X, size_t offx, int incx,
                         CLBLAS_QUEUES);

/** symv with a packed matrix. */
clblasStatus clblasSspmv(clblasOrder order, clblasUplo uplo, size_t N, cl_float alpha, cl_mem AP,
                         size_t offa, cl_mem X, size_t offx, int incx, cl_float beta, cl_mem Y,
                         size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasDspmv(clblasOrder order, clblasUplo uplo, size_t N, cl_double alpha, cl_mem AP,
                         size_t offa, cl_mem X, size_t offx, int incx, cl_double beta, cl_mem Y,
                         size_t offy, int incy, CLBLAS_QUEUES);

/** hemv with a packed matrix. */
clblasStatus clblasChpmv(clblasOrder order, clblasUplo uplo, size_t N, FloatComplex alpha,
                         cl_mem AP, size_t offa, cl_mem X, size_t offx, int incx, FloatComplex beta,
                         cl_mem Y, size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasZhpmv(clblasOrder order, clblasUplo uplo, size_t N, DoubleComplex alpha,
                         cl_mem AP, size_t offa, cl_mem X, size_t offx, int incx,
                         DoubleComplex beta, cl_mem Y, size_t offy, int incy, CLBLAS_QUEUES);

/** syr on a packed matrix. */
clblasStatus clblasSspr(clblasOrder order, clblasUplo uplo, size_t N, cl_float alpha, cl_mem X,
                        size_t offx, int incx, cl_mem AP, size_t offa, CLBLAS_QUEUES);
clblasStatus clblasDspr(clblasOrder order, clblasUplo uplo, size_t N, cl_double alpha, cl_mem X,
                        size_t offx, int incx, cl_mem AP, size_t offa, CLBLAS_QUEUES);

/** her on a packed matrix. */
clblasStatus clblasChpr(clblasOrder order, clblasUplo uplo, size_t N, cl_float alpha, cl_mem X,
                        size_t offx, int incx, cl_mem AP, size_t offa, CLBLAS_QUEUES);
clblasStatus clblasZhpr(clblasOrder order, clblasUplo uplo, size_t N, cl_double alpha, cl_mem X,
                        size_t offx, int incx, cl_mem AP, size_t offa, CLBLAS_QUEUES);

/** syr2 on a packed matrix. */
clblasStatus clblasSspr2(clblasOrder order, clblasUplo uplo, size_t N, cl_float alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem AP,
                         size_t offa, CLBLAS_QUEUES);
clblasStatus clblasDspr2(clblasOrder order, clblasUplo uplo, size_t N, cl_double alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem AP,
                         size_t offa, CLBLAS_QUEUES);

/** her2 on a packed matrix. */
clblasStatus clblasChpr2(clblasOrder order, clblasUplo uplo, size_t N, FloatComplex alpha, cl_mem X,
                         size_t offx, int incx, cl_mem Y, size_t offy, int incy, cl_mem AP,
                         size_t offa, CLBLAS_QUEUES);
clblasStatus clblasZhpr2(clblasOrder order, clblasUplo uplo, size_t N, DoubleComplex alpha,
                         cl_mem X, size_t offx, int incx, cl_mem Y, size_t offy, int incy,
                         cl_mem AP, size_t offa, CLBLAS_QUEUES);

/** gemv with a banded matrix of KL diagonals below and KU above the main one. */
clblasStatus clblasSgbmv(clblasOrder order, clblasTranspose trans, size_t M, size_t N, size_t KL,
                         size_t KU, cl_float alpha, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, cl_float beta, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasDgbmv(clblasOrder order, clblasTranspose trans, size_t M, size_t N, size_t KL,
                         size_t KU, cl_double alpha, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, cl_double beta, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasCgbmv(clblasOrder order, clblasTranspose trans, size_t M, size_t N, size_t KL,
                         size_t KU, FloatComplex alpha, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, FloatComplex beta, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);
clblasStatus clblasZgbmv(clblasOrder order, clblasTranspose trans, size_t M, size_t N, size_t KL,
                         size_t KU, DoubleComplex alpha, cl_mem A, size_t offa, size_t lda,
                         cl_mem X, size_t offx, int incx, DoubleComplex beta, cl_mem Y, size_t offy,
                         int incy, CLBLAS_QUEUES);

/** trmv with a banded matrix of K diagonals beside the main one. */
clblasStatus clblasStbmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, size_t K, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasDtbmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, size_t K, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasCtbmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, size_t K, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, cl_mem scratchBuff, CLBLAS_QUEUES);
clblasStatus clblasZtbmv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, size_t K, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, cl_mem scratchBuff, CLBLAS_QUEUES);

/** symv with a banded matrix of K diagonals on either side. */
clblasStatus clblasSsbmv(clblasOrder order, clblasUplo uplo, size_t N, size_t K, cl_float alpha,
                         cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx, int incx,
                         cl_float beta, cl_mem Y, size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasDsbmv(clblasOrder order, clblasUplo uplo, size_t N, size_t K, cl_double alpha,
                         cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx, int incx,
                         cl_double beta, cl_mem Y, size_t offy, int incy, CLBLAS_QUEUES);

/** hemv with a banded matrix of K diagonals on either side. */
clblasStatus clblasChbmv(clblasOrder order, clblasUplo uplo, size_t N, size_t K, FloatComplex alpha,
                         cl_mem A, size_t offa, size_t lda, cl_mem X, size_t offx, int incx,
                         FloatComplex beta, cl_mem Y, size_t offy, int incy, CLBLAS_QUEUES);
clblasStatus clblasZhbmv(clblasOrder order, clblasUplo uplo, size_t N, size_t K,
                         DoubleComplex alpha, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, DoubleComplex beta, cl_mem Y, size_t offy, int incy,
                         CLBLAS_QUEUES);

/** trsv with a banded matrix of K diagonals beside the main one. */
clblasStatus clblasStbsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, size_t K, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, CLBLAS_QUEUES);
clblasStatus clblasDtbsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, size_t K, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, CLBLAS_QUEUES);
clblasStatus clblasCtbsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, size_t K, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, CLBLAS_QUEUES);
clblasStatus clblasZtbsv(clblasOrder order, clblasUplo uplo, clblasTranspose trans, clblasDiag diag,
                         size_t N, size_t K, cl_mem A, size_t offa, size_t lda, cl_mem X,
                         size_t offx, int incx, CLBLAS_QUEUES);

/* ---- Level 3: matrices with matrices ---- */

/** C := alpha op(A) op(B) + beta C; C is M x N, op(A) M x K. With K = 0, C := beta C. */
clblasStatus clblasSgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB,
                         size_t M, size_t N, size_t K, cl_float alpha, cl_mem A, size_t offA,
                         size_t lda, cl_mem B, size_t offB, size_t ldb, cl_float beta, cl_mem C,
                         size_t offC, size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasDgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB,
                         size_t M, size_t N, size_t K, cl_double alpha, cl_mem A, size_t offA,
                         size_t lda, cl_mem B, size_t offB, size_t ldb, cl_double beta, cl_mem C,
                         size_t offC, size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasCgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB,
                         size_t M, size_t N, size_t K, FloatComplex alpha, cl_mem A, size_t offA,
                         size_t lda, cl_mem B, size_t offB, size_t ldb, FloatComplex beta, cl_mem C,
                         size_t offC, size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasZgemm(clblasOrder order, clblasTranspose transA, clblasTranspose transB,
                         size_t M, size_t N, size_t K, DoubleComplex alpha, cl_mem A, size_t offA,
                         size_t lda, cl_mem B, size_t offB, size_t ldb, DoubleComplex beta,
                         cl_mem C, size_t offC, size_t ldc, CLBLAS_QUEUES);

/** B := alpha op(A) B, or alpha B op(A); A is triangular, B is M x N. */
clblasStatus clblasStrmm(clblasOrder order, clblasSide side, clblasUplo uplo,
                         clblasTranspose transA, clblasDiag diag, size_t M, size_t N,
                         cl_float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB,
                         size_t ldb, CLBLAS_QUEUES);
clblasStatus clblasDtrmm(clblasOrder order, clblasSide side, clblasUplo uplo,
                         clblasTranspose transA, clblasDiag diag, size_t M, size_t N,
                         cl_double alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB,
                         size_t ldb, CLBLAS_QUEUES);
clblasStatus clblasCtrmm(clblasOrder order, clblasSide side, clblasUplo uplo,
                         clblasTranspose transA, clblasDiag diag, size_t M, size_t N,
                         FloatComplex alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                         size_t offB, size_t ldb, CLBLAS_QUEUES);
clblasStatus clblasZtrmm(clblasOrder order, clblasSide side, clblasUplo uplo,
                         clblasTranspose transA, clblasDiag diag, size_t M, size_t N,
                         DoubleComplex alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                         size_t offB, size_t ldb, CLBLAS_QUEUES);

/** Solves op(A) X = alpha B, or X op(A) = alpha B; X takes the place of B. A is triangular. */
clblasStatus clblasStrsm(clblasOrder order, clblasSide side, clblasUplo uplo,
                         clblasTranspose transA, clblasDiag diag, size_t M, size_t N,
                         cl_float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB,
                         size_t ldb, CLBLAS_QUEUES);
clblasStatus clblasDtrsm(clblasOrder order, clblasSide side, clblasUplo uplo,
                         clblasTranspose transA, clblasDiag diag, size_t M, size_t N,
                         cl_double alpha, cl_mem A, size_t offA, size_t lda, cl_mem B, size_t offB,
                         size_t ldb, CLBLAS_QUEUES);
clblasStatus clblasCtrsm(clblasOrder order, clblasSide side, clblasUplo uplo,
                         clblasTranspose transA, clblasDiag diag, size_t M, size_t N,
                         FloatComplex alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                         size_t offB, size_t ldb, CLBLAS_QUEUES);
clblasStatus clblasZtrsm(clblasOrder order, clblasSide side, clblasUplo uplo,
                         clblasTranspose transA, clblasDiag diag, size_t M, size_t N,
                         DoubleComplex alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                         size_t offB, size_t ldb, CLBLAS_QUEUES);

/** C := alpha A A^T + beta C, or with A^T A (transA; not conjugated for C, Z); C is N x N. */
clblasStatus clblasSsyrk(clblasOrder order, clblasUplo uplo, clblasTranspose transA, size_t N,
                         size_t K, cl_float alpha, cl_mem A, size_t offA, size_t lda, cl_float beta,
                         cl_mem C, size_t offC, size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasDsyrk(clblasOrder order, clblasUplo uplo, clblasTranspose transA, size_t N,
                         size_t K, cl_double alpha, cl_mem A, size_t offA, size_t lda,
                         cl_double beta, cl_mem C, size_t offC, size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasCsyrk(clblasOrder order, clblasUplo uplo, clblasTranspose transA, size_t N,
                         size_t K, FloatComplex alpha, cl_mem A, size_t offA, size_t lda,
                         FloatComplex beta, cl_mem C, size_t offC, size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasZsyrk(clblasOrder order, clblasUplo uplo, clblasTranspose transA, size_t N,
                         size_t K, DoubleComplex alpha, cl_mem A, size_t offA, size_t lda,
                         DoubleComplex beta, cl_mem C, size_t offC, size_t ldc, CLBLAS_QUEUES);

/** C := alpha A B^T + alpha B A^T + beta C, or with A^T B and B^T A. */
clblasStatus clblasSsyr2k(clblasOrder order, clblasUplo uplo, clblasTranspose transAB, size_t N,
                          size_t K, cl_float alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                          size_t offB, size_t ldb, cl_float beta, cl_mem C, size_t offC, size_t ldc,
                          CLBLAS_QUEUES);
clblasStatus clblasDsyr2k(clblasOrder order, clblasUplo uplo, clblasTranspose transAB, size_t N,
                          size_t K, cl_double alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                          size_t offB, size_t ldb, cl_double beta, cl_mem C, size_t offC,
                          size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasCsyr2k(clblasOrder order, clblasUplo uplo, clblasTranspose transAB, size_t N,
                          size_t K, FloatComplex alpha, cl_mem A, size_t offA, size_t lda, cl_mem B,
                          size_t offB, size_t ldb, FloatComplex beta, cl_mem C, size_t offC,
                          size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasZsyr2k(clblasOrder order, clblasUplo uplo, clblasTranspose transAB, size_t N,
                          size_t K, DoubleComplex alpha, cl_mem A, size_t offA, size_t lda,
                          cl_mem B, size_t offB, size_t ldb, DoubleComplex beta, cl_mem C,
                          size_t offC, size_t ldc, CLBLAS_QUEUES);

/** C := alpha A B + beta C, or alpha B A + beta C; A is symmetric, C is M x N. */
clblasStatus clblasSsymm(clblasOrder order, clblasSide side, clblasUplo uplo, size_t M, size_t N,
                         cl_float alpha, cl_mem A, size_t offa, size_t lda, cl_mem B, size_t offb,
                         size_t ldb, cl_float beta, cl_mem C, size_t offc, size_t ldc,
                         CLBLAS_QUEUES);
clblasStatus clblasDsymm(clblasOrder order, clblasSide side, clblasUplo uplo, size_t M, size_t N,
                         cl_double alpha, cl_mem A, size_t offa, size_t lda, cl_mem B, size_t offb,
                         size_t ldb, cl_double beta, cl_mem C, size_t offc, size_t ldc,
                         CLBLAS_QUEUES);
clblasStatus clblasCsymm(clblasOrder order, clblasSide side, clblasUplo uplo, size_t M, size_t N,
                         FloatComplex alpha, cl_mem A, size_t offa, size_t lda, cl_mem B,
                         size_t offb, size_t ldb, FloatComplex beta, cl_mem C, size_t offc,
                         size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasZsymm(clblasOrder order, clblasSide side, clblasUplo uplo, size_t M, size_t N,
                         DoubleComplex alpha, cl_mem A, size_t offa, size_t lda, cl_mem B,
                         size_t offb, size_t ldb, DoubleComplex beta, cl_mem C, size_t offc,
                         size_t ldc, CLBLAS_QUEUES);

/** symm with a Hermitian A, its diagonal taken as real. */
clblasStatus clblasChemm(clblasOrder order, clblasSide side, clblasUplo uplo, size_t M, size_t N,
                         FloatComplex alpha, cl_mem A, size_t offa, size_t lda, cl_mem B,
                         size_t offb, size_t ldb, FloatComplex beta, cl_mem C, size_t offc,
                         size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasZhemm(clblasOrder order, clblasSide side, clblasUplo uplo, size_t M, size_t N,
                         DoubleComplex alpha, cl_mem A, size_t offa, size_t lda, cl_mem B,
                         size_t offb, size_t ldb, DoubleComplex beta, cl_mem C, size_t offc,
                         size_t ldc, CLBLAS_QUEUES);

/** C := alpha A A^H + beta C, or with A^H A; alpha and beta are real, C is Hermitian. */
clblasStatus clblasCherk(clblasOrder order, clblasUplo uplo, clblasTranspose transA, size_t N,
                         size_t K, cl_float alpha, cl_mem A, size_t offa, size_t lda, cl_float beta,
                         cl_mem C, size_t offc, size_t ldc, CLBLAS_QUEUES);
clblasStatus clblasZherk(clblasOrder order, clblasUplo uplo, clblasTranspose transA, size_t N,
                         size_t K, cl_double alpha, cl_mem A, size_t offa, size_t lda,
                         cl_double beta, cl_mem C, size_t offc, size_t ldc, CLBLAS_QUEUES);

/** C := alpha A B^H + conj(alpha) B A^H + beta C, or with A^H B and B^H A; beta is real. */
clblasStatus clblasCher2k(clblasOrder order, clblasUplo uplo, clblasTranspose trans, size_t N,
                          size_t K, FloatComplex alpha, cl_mem A, size_t offa, size_t lda, cl_mem B,
                          size_t offb, size_t ldb, cl_float beta, cl_mem C, size_t offc, size_t ldc,
                          CLBLAS_QUEUES);
clblasStatus clblasZher2k(clblasOrder order, clblasUplo uplo, clblasTranspose trans, size_t N,
                          size_t K, DoubleComplex alpha, cl_mem A, size_t offa, size_t lda,
                          cl_mem B, size_t offb, size_t ldb, cl_double beta, cl_mem C, size_t offc,
                          size_t ldc, CLBLAS_QUEUES);

/* ---- Matrices and vectors in memory ----
 * Elements of any size in bytes (elemsize, element_size). x, nx, sx and nr count rows, y, ny, sy
 * and nc columns, whatever the order. The area that is moved or filled must lie inside the matrix
 * (nrA x ncA, nrB x ncB), and matrices have fewer than 2^31 rows and columns; clblasInvalidValue
 * otherwise. Leading dimensions are needed only where there is more than one column (row). An empty
 * area is no error: the call waits for what it waits for. Functions without Async return when all
 * is done; of the others, `event` may be NULL, and memory of the host must stay until it is
 * complete.
 */

/** Leading dimension (elements) and size (bytes) of a matrix with `padding` elements behind every
 * column (row); either pointer may be NULL. clblasInvalidValue where a size is zero or overflows.
 */
clblasStatus clblasMatrixSizeInfo(clblasOrder order, size_t rows, size_t columns, size_t elemsize,
                                  size_t padding, size_t* ld, size_t* fullsize);

/** A buffer of that size, the caller's to release; NULL on failure, with the reason in *err. */
cl_mem clblasCreateMatrix(cl_context context, clblasOrder order, size_t rows, size_t columns,
                          size_t elemsize, size_t padding, size_t* ld, size_t* fullsize,
                          cl_int* err);

/** The same for a given leading dimension. */
cl_mem clblasCreateMatrixWithLd(cl_context context, clblasOrder order, size_t rows, size_t columns,
                                size_t elemsize, size_t ld, size_t* fullsize, cl_int* err);

/** The same, and what `host` holds from element off_host with leading dimension ld_host copied to
 * it. */
cl_mem clblasCreateMatrixFromHost(cl_context context, clblasOrder order, size_t rows,
                                  size_t columns, size_t elemsize, size_t ld, void* host,
                                  size_t off_host, size_t ld_host, cl_command_queue command_queue,
                                  cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                  cl_int* err);

/** From the host's memory A to the buffer B. */
clblasStatus clblasWriteSubMatrix(clblasOrder order, size_t element_size, const void* A,
                                  size_t offA, size_t ldA, size_t nrA, size_t ncA, size_t xA,
                                  size_t yA, cl_mem B, size_t offB, size_t ldB, size_t nrB,
                                  size_t ncB, size_t xB, size_t yB, size_t nx, size_t ny,
                                  cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                  const cl_event* eventWaitList);
clblasStatus clblasWriteSubMatrixAsync(clblasOrder order, size_t element_size, const void* A,
                                       size_t offA, size_t ldA, size_t nrA, size_t ncA, size_t xA,
                                       size_t yA, cl_mem B, size_t offB, size_t ldB, size_t nrB,
                                       size_t ncB, size_t xB, size_t yB, size_t nx, size_t ny,
                                       cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                       const cl_event* eventWaitList, cl_event* event);

/** From the buffer A to the host's memory B. */
clblasStatus clblasReadSubMatrix(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                                 size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA, void* B,
                                 size_t offB, size_t ldB, size_t nrB, size_t ncB, size_t xB,
                                 size_t yB, size_t nx, size_t ny, cl_command_queue command_queue,
                                 cl_uint numEventsInWaitList, const cl_event* eventWaitList);
clblasStatus clblasReadSubMatrixAsync(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                                      size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA,
                                      void* B, size_t offB, size_t ldB, size_t nrB, size_t ncB,
                                      size_t xB, size_t yB, size_t nx, size_t ny,
                                      cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                      const cl_event* eventWaitList, cl_event* event);

/** From the buffer A to the buffer B. */
clblasStatus clblasCopySubMatrix(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                                 size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA, cl_mem B,
                                 size_t offB, size_t ldB, size_t nrB, size_t ncB, size_t xB,
                                 size_t yB, size_t nx, size_t ny, cl_command_queue command_queue,
                                 cl_uint numEventsInWaitList, const cl_event* eventWaitList);
clblasStatus clblasCopySubMatrixAsync(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                                      size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA,
                                      cl_mem B, size_t offB, size_t ldB, size_t nrB, size_t ncB,
                                      size_t xB, size_t yB, size_t nx, size_t ny,
                                      cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                      const cl_event* eventWaitList, cl_event* event);

/** The same for nb_elem contiguous elements: from host to buffer, */
clblasStatus clblasWriteVector(size_t nb_elem, size_t element_size, const void* A, size_t offA,
                               cl_mem B, size_t offB, cl_command_queue command_queue,
                               cl_uint numEventsInWaitList, const cl_event* eventWaitList);
clblasStatus clblasWriteVectorAsync(size_t nb_elem, size_t element_size, const void* A, size_t offA,
                                    cl_mem B, size_t offB, cl_command_queue command_queue,
                                    cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                    cl_event* events);

/** from buffer to host, */
clblasStatus clblasReadVector(size_t nb_elem, size_t element_size, cl_mem A, size_t offA, void* B,
                              size_t offB, cl_command_queue command_queue,
                              cl_uint numEventsInWaitList, const cl_event* eventWaitList);
clblasStatus clblasReadVectorAsync(size_t nb_elem, size_t element_size, cl_mem A, size_t offA,
                                   void* B, size_t offB, cl_command_queue command_queue,
                                   cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                   cl_event* events);

/** from buffer to buffer. */
clblasStatus clblasCopyVector(size_t nb_elem, size_t element_size, cl_mem A, size_t offA, cl_mem B,
                              size_t offB, cl_command_queue command_queue,
                              cl_uint numEventsInWaitList, const cl_event* eventWaitList);
clblasStatus clblasCopyVectorAsync(size_t nb_elem, size_t element_size, cl_mem A, size_t offA,
                                   cl_mem B, size_t offB, cl_command_queue command_queue,
                                   cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                   cl_event* events);

/** The same for whole matrices of sx rows and sy columns: from host to buffer, */
clblasStatus clblasWriteMatrix(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                               const void* A, size_t offA, size_t ldA, cl_mem B, size_t offB,
                               size_t ldB, cl_command_queue command_queue,
                               cl_uint numEventsInWaitList, const cl_event* eventWaitList);
clblasStatus clblasWriteMatrixAsync(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                                    const void* A, size_t offA, size_t ldA, cl_mem B, size_t offB,
                                    size_t ldB, cl_command_queue command_queue,
                                    cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                    cl_event* events);

/** from buffer to host, */
clblasStatus clblasReadMatrix(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                              cl_mem A, size_t offA, size_t ldA, void* B, size_t offB, size_t ldB,
                              cl_command_queue command_queue, cl_uint numEventsInWaitList,
                              const cl_event* eventWaitList);
clblasStatus clblasReadMatrixAsync(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                                   cl_mem A, size_t offA, size_t ldA, void* B, size_t offB,
                                   size_t ldB, cl_command_queue command_queue,
                                   cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                   cl_event* events);

/** from buffer to buffer. */
clblasStatus clblasCopyMatrix(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                              cl_mem A, size_t offA, size_t ldA, cl_mem B, size_t offB, size_t ldB,
                              cl_command_queue command_queue, cl_uint numEventsInWaitList,
                              const cl_event* eventWaitList);
clblasStatus clblasCopyMatrixAsync(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                                   cl_mem A, size_t offA, size_t ldA, cl_mem B, size_t offB,
                                   size_t ldB, cl_command_queue command_queue,
                                   cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                   cl_event* events);

/** Sets every element to a value of 1, 2, 4, 8 or 16 bytes, which is read before the call returns.
 */
clblasStatus clblasFillVector(size_t nb_elem, size_t element_size, cl_mem A, size_t offA,
                              const void* host, cl_command_queue command_queue,
                              cl_uint numEventsInWaitList, const cl_event* eventWaitList);
clblasStatus clblasFillVectorAsync(size_t nb_elem, size_t element_size, cl_mem A, size_t offA,
                                   const void* pattern, cl_command_queue command_queue,
                                   cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                   cl_event* event);

/** The same for a matrix of nrA rows and ncA columns, */
clblasStatus clblasFillMatrix(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                              size_t ldA, size_t nrA, size_t ncA, const void* pattern,
                              cl_command_queue command_queue, cl_uint numEventsInWaitList,
                              const cl_event* eventWaitList);

/** and for an area of one. */
clblasStatus clblasFillSubMatrix(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                                 size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA,
                                 size_t nx, size_t ny, const void* pattern,
                                 cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                 const cl_event* eventWaitList);
clblasStatus clblasFillSubMatrixAsync(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                                      size_t ldA, size_t sxA, size_t syA, int xA, int yA, size_t nx,
                                      size_t ny, const void* host, cl_command_queue command_queue,
                                      cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                      cl_event* event);

#undef CLBLAS_QUEUES

#ifdef __cplusplus
}
#endif

#endif
