#pragma once

/// @file
/// The C++ interface of CLBlast, up to its version 1.6, served by Kiln: the same names, templates,
/// enumerators and status codes, so that programs are compiled and run unchanged. docs/clblast.md
/// says what differs.
///
/// T is float, double, std::complex<float>, std::complex<double> or cl_half (half precision, on
/// devices without it, too). The library holds the instances that CLBlast's has. Sizes, offsets,
/// leading dimensions and increments count elements of T. A matrix is a buffer, an offset and a
/// leading dimension: lines that are rows or columns, as `layout` says. Packed triangles (ap) have
/// neither gaps nor a leading dimension, bands have their diagonals as lines.
///
/// Every routine ends with a queue and an event. It returns when its work is enqueued; the event,
/// where one is asked for, is complete when the work is done, and the caller's to release. Where a
/// routine fails it leaves the event alone. All functions may be called from any number of threads.

#include <cstdlib>
#include <string>
#include <unordered_map>

#if defined(__APPLE__) || defined(__MACOSX)
#include <OpenCL/opencl.h>
#else
#include <CL/opencl.h>
#endif

// Programs may name it: what marks exports where a system needs that.
#ifndef PUBLIC_API
#define PUBLIC_API
#endif

// The version whose interface this is.
#define CLBLAST_VERSION_MAJOR 1
#define CLBLAST_VERSION_MINOR 6
#define CLBLAST_VERSION_PATCH 3

namespace clblast {

/// What became of a call. Values down to -63 are those of OpenCL, those from -1024 on clBLAS's. Any
/// other status of OpenCL may come under its own number.
enum class StatusCode {
  kSuccess = 0,
  kOpenCLCompilerNotAvailable = -3,
  kTempBufferAllocFailure = -4,
  kOpenCLOutOfResources = -5,
  kOpenCLOutOfHostMemory = -6,
  kOpenCLBuildProgramFailure = -11,
  kInvalidValue = -30,
  kInvalidCommandQueue = -36,
  kInvalidMemObject = -38,
  kInvalidBinary = -42,
  kInvalidBuildOptions = -43,
  kInvalidProgram = -44,
  kInvalidProgramExecutable = -45,
  kInvalidKernelName = -46,
  kInvalidKernelDefinition = -47,
  kInvalidKernel = -48,
  kInvalidArgIndex = -49,
  kInvalidArgValue = -50,
  kInvalidArgSize = -51,
  kInvalidKernelArgs = -52,
  kInvalidLocalNumDimensions = -53,
  kInvalidLocalThreadsTotal = -54,
  kInvalidLocalThreadsDim = -55,
  kInvalidGlobalOffset = -56,
  kInvalidEventWaitList = -57,
  kInvalidEvent = -58,
  kInvalidOperation = -59,
  kInvalidBufferSize = -61,
  kInvalidGlobalWorkSize = -63,
  kNotImplemented = -1024,
  kInvalidMatrixA = -1022,  ///< no buffer of OpenCL
  kInvalidMatrixB = -1021,
  kInvalidMatrixC = -1020,
  kInvalidVectorX = -1019,
  kInvalidVectorY = -1018,
  kInvalidDimension = -1017,  ///< a size of zero
  kInvalidLeadDimA = -1016,   ///< shorter than the matrix's lines
  kInvalidLeadDimB = -1015,
  kInvalidLeadDimC = -1014,
  kInvalidIncrementX = -1013,  ///< zero
  kInvalidIncrementY = -1012,
  kInsufficientMemoryA = -1011,  ///< the buffer ends before the matrix
  kInsufficientMemoryB = -1010,
  kInsufficientMemoryC = -1009,
  kInsufficientMemoryX = -1008,
  kInsufficientMemoryY = -1007,
  kInsufficientMemoryTemp = -2050,
  kInvalidBatchCount = -2049,  ///< zero
  kInvalidOverrideKernel = -2048,
  kMissingOverrideParameter = -2047,
  kInvalidLocalMemUsage = -2046,
  kNoHalfPrecision = -2045,
  kNoDoublePrecision = -2044,         ///< the device has none
  kInvalidVectorScalar = -2043,       ///< a result's memory is no buffer
  kInsufficientMemoryScalar = -2042,  ///< a result's buffer is too short
  kDatabaseError = -2041,             ///< no kernel of that name
  kUnknownError = -2040,
  kUnexpectedError = -2039,
};

enum class Layout { kRowMajor = 101, kColMajor = 102 };
/// op(A): A, its transpose, its conjugate transpose.
enum class Transpose { kNo = 111, kYes = 112, kConjugate = 113 };
/// Which triangle of a matrix is given, or written; the other one is not touched.
enum class Triangle { kUpper = 121, kLower = 122 };
/// Whether a triangle's diagonal is given, or all ones and never read.
enum class Diagonal { kNonUnit = 131, kUnit = 132 };
/// Which factor of a product the special matrix is.
enum class Side { kLeft = 141, kRight = 142 };
/// Whether a filter's points are gone through as they lie, or from the last to the first.
enum class KernelMode { kCrossCorrelation = 151, kConvolution = 152 };

/// Element types, by their bits.
enum class Precision {
  kHalf = 16,
  kSingle = 32,
  kDouble = 64,
  kComplexSingle = 3232,
  kComplexDouble = 6464,
  kAny = -1
};

// ---- Level 1: vectors

/// The plane rotation that takes (sa, sb) to (r, 0): sa becomes r, sb the z from which sc and ss
/// can be had again.
template <typename T>
StatusCode Rotg(cl_mem sa_buffer, size_t sa_offset, cl_mem sb_buffer, size_t sb_offset,
                cl_mem sc_buffer, size_t sc_offset, cl_mem ss_buffer, size_t ss_offset,
                cl_command_queue* queue, cl_event* event = nullptr);

/// The modified rotation that takes (sqrt(sd1) sx1, sqrt(sd2) sy1) to (r, 0); sparam gets five
/// numbers.
template <typename T>
StatusCode Rotmg(cl_mem sd1_buffer, size_t sd1_offset, cl_mem sd2_buffer, size_t sd2_offset,
                 cl_mem sx1_buffer, size_t sx1_offset, cl_mem sy1_buffer, size_t sy1_offset,
                 cl_mem sparam_buffer, size_t sparam_offset, cl_command_queue* queue,
                 cl_event* event = nullptr);

/// (x, y) := (cos x + sin y, cos y - sin x)
template <typename T>
StatusCode Rot(size_t n, cl_mem x_buffer, size_t x_offset, size_t x_inc, cl_mem y_buffer,
               size_t y_offset, size_t y_inc, T cos, T sin, cl_command_queue* queue,
               cl_event* event = nullptr);

/// Applies the modified rotation in sparam to the points (x[i], y[i]).
template <typename T>
StatusCode Rotm(size_t n, cl_mem x_buffer, size_t x_offset, size_t x_inc, cl_mem y_buffer,
                size_t y_offset, size_t y_inc, cl_mem sparam_buffer, size_t sparam_offset,
                cl_command_queue* queue, cl_event* event = nullptr);

/// x and y change places.
template <typename T>
StatusCode Swap(size_t n, cl_mem x_buffer, size_t x_offset, size_t x_inc, cl_mem y_buffer,
                size_t y_offset, size_t y_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// x := alpha x
template <typename T>
StatusCode Scal(size_t n, T alpha, cl_mem x_buffer, size_t x_offset, size_t x_inc,
                cl_command_queue* queue, cl_event* event = nullptr);

/// y := x
template <typename T>
StatusCode Copy(size_t n, cl_mem x_buffer, size_t x_offset, size_t x_inc, cl_mem y_buffer,
                size_t y_offset, size_t y_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// y := alpha x + y
template <typename T>
StatusCode Axpy(size_t n, T alpha, cl_mem x_buffer, size_t x_offset, size_t x_inc, cl_mem y_buffer,
                size_t y_offset, size_t y_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// dot := the sum of x[i] y[i]; Dotc takes the conjugates of x.
template <typename T>
StatusCode Dot(size_t n, cl_mem dot_buffer, size_t dot_offset, cl_mem x_buffer, size_t x_offset,
               size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc,
               cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Dotu(size_t n, cl_mem dot_buffer, size_t dot_offset, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc,
                cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Dotc(size_t n, cl_mem dot_buffer, size_t dot_offset, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc,
                cl_command_queue* queue, cl_event* event = nullptr);

/// nrm2 := the Euclidean norm of x. Of complex vectors it is the real part of an element.
template <typename T>
StatusCode Nrm2(size_t n, cl_mem nrm2_buffer, size_t nrm2_offset, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// asum := the sum of |Re x[i]| + |Im x[i]|; of complex vectors it is the real part of an element.
/// sum := the sum of x[i].
template <typename T>
StatusCode Asum(size_t n, cl_mem asum_buffer, size_t asum_offset, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Sum(size_t n, cl_mem sum_buffer, size_t sum_offset, cl_mem x_buffer, size_t x_offset,
               size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// imax (imin) := the number, from 0 on, of the first element with the largest (smallest) |Re x[i]|
/// + |Im x[i]|, a cl_uint; Max and Min: with the largest (smallest) Re x[i].
template <typename T>
StatusCode Amax(size_t n, cl_mem imax_buffer, size_t imax_offset, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Amin(size_t n, cl_mem imin_buffer, size_t imin_offset, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Max(size_t n, cl_mem imax_buffer, size_t imax_offset, cl_mem x_buffer, size_t x_offset,
               size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Min(size_t n, cl_mem imin_buffer, size_t imin_offset, cl_mem x_buffer, size_t x_offset,
               size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);

// ---- Level 2: a matrix and vectors

/// y := alpha op(A) x + beta y; A is m x n. Gbmv: a band of kl diagonals below the main one and ku
/// above it.
template <typename T>
StatusCode Gemv(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha, cl_mem a_buffer,
                size_t a_offset, size_t a_ld, cl_mem x_buffer, size_t x_offset, size_t x_inc,
                T beta, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_command_queue* queue,
                cl_event* event = nullptr);
template <typename T>
StatusCode Gbmv(Layout layout, Transpose a_transpose, size_t m, size_t n, size_t kl, size_t ku,
                T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, T beta, cl_mem y_buffer, size_t y_offset,
                size_t y_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// y := alpha A x + beta y with a Hermitian A, of which one triangle is given: all of it, a band of
/// k diagonals next to the main one, or packed.
template <typename T>
StatusCode Hemv(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem a_buffer,
                size_t a_offset, size_t a_ld, cl_mem x_buffer, size_t x_offset, size_t x_inc,
                T beta, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_command_queue* queue,
                cl_event* event = nullptr);
template <typename T>
StatusCode Hbmv(Layout layout, Triangle triangle, size_t n, size_t k, T alpha, cl_mem a_buffer,
                size_t a_offset, size_t a_ld, cl_mem x_buffer, size_t x_offset, size_t x_inc,
                T beta, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_command_queue* queue,
                cl_event* event = nullptr);
template <typename T>
StatusCode Hpmv(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem ap_buffer,
                size_t ap_offset, cl_mem x_buffer, size_t x_offset, size_t x_inc, T beta,
                cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_command_queue* queue,
                cl_event* event = nullptr);

/// The same with a symmetric A.
template <typename T>
StatusCode Symv(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem a_buffer,
                size_t a_offset, size_t a_ld, cl_mem x_buffer, size_t x_offset, size_t x_inc,
                T beta, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_command_queue* queue,
                cl_event* event = nullptr);
template <typename T>
StatusCode Sbmv(Layout layout, Triangle triangle, size_t n, size_t k, T alpha, cl_mem a_buffer,
                size_t a_offset, size_t a_ld, cl_mem x_buffer, size_t x_offset, size_t x_inc,
                T beta, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_command_queue* queue,
                cl_event* event = nullptr);
template <typename T>
StatusCode Spmv(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem ap_buffer,
                size_t ap_offset, cl_mem x_buffer, size_t x_offset, size_t x_inc, T beta,
                cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_command_queue* queue,
                cl_event* event = nullptr);

/// x := op(A) x with a triangular A: all of it, a band, packed.
template <typename T>
StatusCode Trmv(Layout layout, Triangle triangle, Transpose a_transpose, Diagonal diagonal,
                size_t n, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Tbmv(Layout layout, Triangle triangle, Transpose a_transpose, Diagonal diagonal,
                size_t n, size_t k, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Tpmv(Layout layout, Triangle triangle, Transpose a_transpose, Diagonal diagonal,
                size_t n, cl_mem ap_buffer, size_t ap_offset, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// Solves op(A) x = b, where x holds b, with a triangular A. Whether it is singular is not tested.
template <typename T>
StatusCode Trsv(Layout layout, Triangle triangle, Transpose a_transpose, Diagonal diagonal,
                size_t n, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Tbsv(Layout layout, Triangle triangle, Transpose a_transpose, Diagonal diagonal,
                size_t n, size_t k, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Tpsv(Layout layout, Triangle triangle, Transpose a_transpose, Diagonal diagonal,
                size_t n, cl_mem ap_buffer, size_t ap_offset, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// A := alpha x y' + A; A is m x n. Gerc takes the conjugates of y.
template <typename T>
StatusCode Ger(Layout layout, size_t m, size_t n, T alpha, cl_mem x_buffer, size_t x_offset,
               size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_mem a_buffer,
               size_t a_offset, size_t a_ld, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Geru(Layout layout, size_t m, size_t n, T alpha, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_mem a_buffer,
                size_t a_offset, size_t a_ld, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Gerc(Layout layout, size_t m, size_t n, T alpha, cl_mem x_buffer, size_t x_offset,
                size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_mem a_buffer,
                size_t a_offset, size_t a_ld, cl_command_queue* queue, cl_event* event = nullptr);

/// A := alpha x x^H + A with a Hermitian A and a real alpha; T is alpha's type. Hpr: packed.
template <typename T>
StatusCode Her(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem x_buffer,
               size_t x_offset, size_t x_inc, cl_mem a_buffer, size_t a_offset, size_t a_ld,
               cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Hpr(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem x_buffer,
               size_t x_offset, size_t x_inc, cl_mem ap_buffer, size_t ap_offset,
               cl_command_queue* queue, cl_event* event = nullptr);

/// A := alpha x y^H + conj(alpha) y x^H + A. Hpr2: packed.
template <typename T>
StatusCode Her2(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc,
                cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_command_queue* queue,
                cl_event* event = nullptr);
template <typename T>
StatusCode Hpr2(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc,
                cl_mem ap_buffer, size_t ap_offset, cl_command_queue* queue,
                cl_event* event = nullptr);

/// A := alpha x x' + A with a symmetric A. Spr: packed.
template <typename T>
StatusCode Syr(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem x_buffer,
               size_t x_offset, size_t x_inc, cl_mem a_buffer, size_t a_offset, size_t a_ld,
               cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Spr(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem x_buffer,
               size_t x_offset, size_t x_inc, cl_mem ap_buffer, size_t ap_offset,
               cl_command_queue* queue, cl_event* event = nullptr);

/// A := alpha x y' + alpha y x' + A. Spr2: packed.
template <typename T>
StatusCode Syr2(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc,
                cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_command_queue* queue,
                cl_event* event = nullptr);
template <typename T>
StatusCode Spr2(Layout layout, Triangle triangle, size_t n, T alpha, cl_mem x_buffer,
                size_t x_offset, size_t x_inc, cl_mem y_buffer, size_t y_offset, size_t y_inc,
                cl_mem ap_buffer, size_t ap_offset, cl_command_queue* queue,
                cl_event* event = nullptr);

// ---- Level 3: matrices

/// C := alpha op(A) op(B) + beta C; op(A) is m x k, op(B) k x n. temp_buffer is accepted and not
/// used.
template <typename T>
StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n,
                size_t k, T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer,
                size_t b_offset, size_t b_ld, T beta, cl_mem c_buffer, size_t c_offset, size_t c_ld,
                cl_command_queue* queue, cl_event* event = nullptr, cl_mem temp_buffer = nullptr);

/// C := alpha A B + beta C, or alpha B A + beta C; C is m x n, A symmetric (Hemm: Hermitian).
template <typename T>
StatusCode Symm(Layout layout, Side side, Triangle triangle, size_t m, size_t n, T alpha,
                cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset,
                size_t b_ld, T beta, cl_mem c_buffer, size_t c_offset, size_t c_ld,
                cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Hemm(Layout layout, Side side, Triangle triangle, size_t m, size_t n, T alpha,
                cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset,
                size_t b_ld, T beta, cl_mem c_buffer, size_t c_offset, size_t c_ld,
                cl_command_queue* queue, cl_event* event = nullptr);

/// C := alpha op(A) op(A)' + beta C; C is n x n and symmetric, op(A) n x k. Herk: C is Hermitian,
/// with real alpha and beta, whose type is T.
template <typename T>
StatusCode Syrk(Layout layout, Triangle triangle, Transpose a_transpose, size_t n, size_t k,
                T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, T beta, cl_mem c_buffer,
                size_t c_offset, size_t c_ld, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T>
StatusCode Herk(Layout layout, Triangle triangle, Transpose a_transpose, size_t n, size_t k,
                T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, T beta, cl_mem c_buffer,
                size_t c_offset, size_t c_ld, cl_command_queue* queue, cl_event* event = nullptr);

/// C := alpha op(A) op(B)' + alpha op(B) op(A)' + beta C. Her2k: with conjugates, the second term
/// that of conj(alpha), and a real beta of type U.
template <typename T>
StatusCode Syr2k(Layout layout, Triangle triangle, Transpose ab_transpose, size_t n, size_t k,
                 T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer,
                 size_t b_offset, size_t b_ld, T beta, cl_mem c_buffer, size_t c_offset,
                 size_t c_ld, cl_command_queue* queue, cl_event* event = nullptr);
template <typename T, typename U>
StatusCode Her2k(Layout layout, Triangle triangle, Transpose ab_transpose, size_t n, size_t k,
                 T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer,
                 size_t b_offset, size_t b_ld, U beta, cl_mem c_buffer, size_t c_offset,
                 size_t c_ld, cl_command_queue* queue, cl_event* event = nullptr);

/// B := alpha op(A) B, or alpha B op(A); B is m x n, A triangular.
template <typename T>
StatusCode Trmm(Layout layout, Side side, Triangle triangle, Transpose a_transpose,
                Diagonal diagonal, size_t m, size_t n, T alpha, cl_mem a_buffer, size_t a_offset,
                size_t a_ld, cl_mem b_buffer, size_t b_offset, size_t b_ld, cl_command_queue* queue,
                cl_event* event = nullptr);

/// Solves op(A) X = alpha B, or X op(A) = alpha B; X takes the place of B.
template <typename T>
StatusCode Trsm(Layout layout, Side side, Triangle triangle, Transpose a_transpose,
                Diagonal diagonal, size_t m, size_t n, T alpha, cl_mem a_buffer, size_t a_offset,
                size_t a_ld, cl_mem b_buffer, size_t b_offset, size_t b_ld, cl_command_queue* queue,
                cl_event* event = nullptr);

// ---- What BLAS does not have

/// z[i] := alpha x[i] y[i] + beta z[i]
template <typename T>
StatusCode Had(size_t n, T alpha, cl_mem x_buffer, size_t x_offset, size_t x_inc, cl_mem y_buffer,
               size_t y_offset, size_t y_inc, T beta, cl_mem z_buffer, size_t z_offset,
               size_t z_inc, cl_command_queue* queue, cl_event* event = nullptr);

/// B := alpha op(A); A is m x n. They must not overlap.
template <typename T>
StatusCode Omatcopy(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha,
                    cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset,
                    size_t b_ld, cl_command_queue* queue, cl_event* event = nullptr);

/// col := the patches of an image, one behind another as its rows: for each channel and point of
/// the filter, the elements that it covers at all of its places. Col2im adds
/// to each element of an image what all patches have of it.
template <typename T>
StatusCode Im2col(KernelMode kernel_mode, size_t channels, size_t height, size_t width,
                  size_t kernel_h, size_t kernel_w, size_t pad_h, size_t pad_w, size_t stride_h,
                  size_t stride_w, size_t dilation_h, size_t dilation_w, cl_mem im_buffer,
                  size_t im_offset, cl_mem col_buffer, size_t col_offset, cl_command_queue* queue,
                  cl_event* event = nullptr);
template <typename T>
StatusCode Col2im(KernelMode kernel_mode, size_t channels, size_t height, size_t width,
                  size_t kernel_h, size_t kernel_w, size_t pad_h, size_t pad_w, size_t stride_h,
                  size_t stride_w, size_t dilation_h, size_t dilation_w, cl_mem col_buffer,
                  size_t col_offset, cl_mem im_buffer, size_t im_offset, cl_command_queue* queue,
                  cl_event* event = nullptr);

/// result := the convolutions of batch_count images with num_kernels filters.
template <typename T>
StatusCode Convgemm(KernelMode kernel_mode, size_t channels, size_t height, size_t width,
                    size_t kernel_h, size_t kernel_w, size_t pad_h, size_t pad_w, size_t stride_h,
                    size_t stride_w, size_t dilation_h, size_t dilation_w, size_t num_kernels,
                    size_t batch_count, cl_mem im_buffer, size_t im_offset, cl_mem kernel_buffer,
                    size_t kernel_offset, cl_mem result_buffer, size_t result_offset,
                    cl_command_queue* queue, cl_event* event = nullptr);

/// y := alpha x + y, batch_count times: with a scalar and offsets for each.
template <typename T>
StatusCode AxpyBatched(size_t n, const T* alphas, cl_mem x_buffer, const size_t* x_offsets,
                       size_t x_inc, cl_mem y_buffer, const size_t* y_offsets, size_t y_inc,
                       size_t batch_count, cl_command_queue* queue, cl_event* event = nullptr);

/// Gemm, batch_count times: with scalars and offsets for each.
template <typename T>
StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                       size_t n, size_t k, const T* alphas, cl_mem a_buffer,
                       const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                       const size_t* b_offsets, size_t b_ld, const T* betas, cl_mem c_buffer,
                       const size_t* c_offsets, size_t c_ld, size_t batch_count,
                       cl_command_queue* queue, cl_event* event = nullptr);

/// Gemm, batch_count times: of matrices that lie a stride apart.
template <typename T>
StatusCode GemmStridedBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, T alpha, cl_mem a_buffer, size_t a_offset,
                              size_t a_ld, size_t a_stride, cl_mem b_buffer, size_t b_offset,
                              size_t b_ld, size_t b_stride, T beta, cl_mem c_buffer,
                              size_t c_offset, size_t c_ld, size_t c_stride, size_t batch_count,
                              cl_command_queue* queue, cl_event* event = nullptr);

// ---- The library

/// temp_buffer_size := the bytes that Gemm wants of a temp_buffer: 0, always.
template <typename T>
StatusCode GemmTempBufferSize(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, size_t a_offset, size_t a_ld, size_t b_offset,
                              size_t b_ld, size_t c_offset, size_t c_ld, cl_command_queue* queue,
                              size_t& temp_buffer_size);

/// Forgets what calls have prepared in this process, so that contexts may end. Programs in Kiln's
/// store stay there.
StatusCode PUBLIC_API ClearCache();

/// Prepares the kernels of common calls for a device, so that later ones find them in Kiln's store.
StatusCode PUBLIC_API FillCache(const cl_device_id device);

/// The parameters that were given to OverrideParameters for one of CLBlast's kernels, or neutral
/// ones. Kiln's own kernels have others, which `kiln tune` finds.
StatusCode PUBLIC_API RetrieveParameters(const cl_device_id device, const std::string& kernel_name,
                                         const Precision precision,
                                         std::unordered_map<std::string, size_t>& parameters);

/// Notes parameters for one of CLBlast's kernels. They change no kernel of Kiln's.
StatusCode PUBLIC_API OverrideParameters(const cl_device_id device, const std::string& kernel_name,
                                         const Precision precision,
                                         const std::unordered_map<std::string, size_t>& parameters);

// CLBlast's tuners of its kernels, of which there are none here: all return kNotImplemented.
template <typename T>
StatusCode TuneXaxpy(cl_command_queue* queue, size_t n, double fraction,
                     std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TuneXdot(cl_command_queue* queue, size_t n, double fraction,
                    std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TuneXgemv(cl_command_queue* queue, size_t m, size_t n, double fraction,
                     std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TuneXger(cl_command_queue* queue, size_t m, size_t n, double fraction,
                    std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TuneXgemm(cl_command_queue* queue, size_t m, size_t n, size_t k, double fraction,
                     std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TuneXgemmDirect(cl_command_queue* queue, size_t m, size_t n, size_t k, double fraction,
                           std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TuneCopy(cl_command_queue* queue, size_t m, size_t n, double fraction,
                    std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TunePad(cl_command_queue* queue, size_t m, size_t n, double fraction,
                   std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TuneTranspose(cl_command_queue* queue, size_t m, size_t n, double fraction,
                         std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TunePadtranspose(cl_command_queue* queue, size_t m, size_t n, double fraction,
                            std::unordered_map<std::string, size_t>& parameters);
template <typename T>
StatusCode TuneInvert(cl_command_queue* queue, size_t m, size_t n, size_t k, double fraction,
                      std::unordered_map<std::string, size_t>& parameters);

}  // namespace clblast
