#include <string>
#include <unordered_map>

#include "blas/clblast/c_interface.hpp"

// The rest of clblast_c.h: what BLAS does not have, and the library's own functions.

#define KILN_HAD(name, Cpp, T)                                                            \
  CLBlastStatusCode name(size_t n, CNumber<T> alpha, KILN_VECTOR(x), KILN_VECTOR(y),      \
                         CNumber<T> beta, KILN_VECTOR(z), KILN_QUEUE) {                   \
    return to_c(clblast::Cpp<T>(n, from_c(alpha), KILN_PUT_VECTOR(x), KILN_PUT_VECTOR(y), \
                                from_c(beta), KILN_PUT_VECTOR(z), KILN_PUT_QUEUE));       \
  }
KILN_ALL(KILN_HAD, had, Had)

#define KILN_OMATCOPY(name, Cpp, T)                                                        \
  CLBlastStatusCode name(CLBlastLayout layout, CLBlastTranspose trans, size_t m, size_t n, \
                         CNumber<T> alpha, KILN_MATRIX(a), KILN_MATRIX(b), KILN_QUEUE) {   \
    return to_c(clblast::Cpp<T>(from_c(layout), from_c(trans), m, n, from_c(alpha),        \
                                KILN_PUT_MATRIX(a), KILN_PUT_MATRIX(b), KILN_PUT_QUEUE));  \
  }
KILN_ALL(KILN_OMATCOPY, omatcopy, Omatcopy)

#define KILN_WINDOW                                                                      \
  CLBlastKernelMode mode, size_t channels, size_t height, size_t width, size_t kernel_h, \
      size_t kernel_w, size_t pad_h, size_t pad_w, size_t stride_h, size_t stride_w,     \
      size_t dilation_h, size_t dilation_w
#define KILN_PUT_WINDOW                                                                        \
  from_c(mode), channels, height, width, kernel_h, kernel_w, pad_h, pad_w, stride_h, stride_w, \
      dilation_h, dilation_w

#define KILN_PATCHES(name, Cpp, T)                                                         \
  CLBlastStatusCode name(KILN_WINDOW, KILN_BLOCK(from), KILN_BLOCK(to), KILN_QUEUE) {      \
    return to_c(clblast::Cpp<T>(KILN_PUT_WINDOW, KILN_PUT_BLOCK(from), KILN_PUT_BLOCK(to), \
                                KILN_PUT_QUEUE));                                          \
  }
KILN_ALL(KILN_PATCHES, im2col, Im2col)
KILN_ALL(KILN_PATCHES, col2im, Col2im)

#define KILN_CONVGEMM(name, Cpp, T)                                                               \
  CLBlastStatusCode name(KILN_WINDOW, size_t kernels, size_t batch_count, KILN_BLOCK(im),         \
                         KILN_BLOCK(kernel), KILN_BLOCK(result), KILN_QUEUE) {                    \
    return to_c(clblast::Cpp<T>(KILN_PUT_WINDOW, kernels, batch_count, KILN_PUT_BLOCK(im),        \
                                KILN_PUT_BLOCK(kernel), KILN_PUT_BLOCK(result), KILN_PUT_QUEUE)); \
  }
KILN_REAL_AND_HALF(KILN_CONVGEMM, convgemm, Convgemm)

// ---- Batches

#define KILN_PRODUCT                                                                            \
  CLBlastLayout layout, CLBlastTranspose trans_a, CLBlastTranspose trans_b, size_t m, size_t n, \
      size_t k
#define KILN_PUT_PRODUCT from_c(layout), from_c(trans_a), from_c(trans_b), m, n, k
#define KILN_BATCH(a) cl_mem a##_buffer, const size_t *a##_offsets, size_t a##_step
#define KILN_PUT_BATCH(a) a##_buffer, a##_offsets, a##_step

#define KILN_AXPY_BATCHED(name, Cpp, T)                                                    \
  CLBlastStatusCode name(size_t n, const CNumber<T>* alphas, KILN_BATCH(x), KILN_BATCH(y), \
                         size_t batch_count, KILN_QUEUE) {                                 \
    return to_c(clblast::Cpp<T>(n, from_c(alphas), KILN_PUT_BATCH(x), KILN_PUT_BATCH(y),   \
                                batch_count, KILN_PUT_QUEUE));                             \
  }
KILN_ALL(KILN_AXPY_BATCHED, axpyBatched, AxpyBatched)

#define KILN_GEMM_BATCHED(name, Cpp, T)                                                            \
  CLBlastStatusCode name(KILN_PRODUCT, const CNumber<T>* alphas, KILN_BATCH(a), KILN_BATCH(b),     \
                         const CNumber<T>* betas, KILN_BATCH(c), size_t batch_count, KILN_QUEUE) { \
    return to_c(clblast::Cpp<T>(KILN_PUT_PRODUCT, from_c(alphas), KILN_PUT_BATCH(a),               \
                                KILN_PUT_BATCH(b), from_c(betas), KILN_PUT_BATCH(c), batch_count,  \
                                KILN_PUT_QUEUE));                                                  \
  }
KILN_ALL(KILN_GEMM_BATCHED, gemmBatched, GemmBatched)

#define KILN_STRIDED(name, Cpp, T)                                                              \
  CLBlastStatusCode name(KILN_PRODUCT, CNumber<T> alpha, KILN_MATRIX(a), size_t a_stride,       \
                         KILN_MATRIX(b), size_t b_stride, CNumber<T> beta, KILN_MATRIX(c),      \
                         size_t c_stride, size_t batch_count, KILN_QUEUE) {                     \
    return to_c(clblast::Cpp<T>(KILN_PUT_PRODUCT, from_c(alpha), KILN_PUT_MATRIX(a), a_stride,  \
                                KILN_PUT_MATRIX(b), b_stride, from_c(beta), KILN_PUT_MATRIX(c), \
                                c_stride, batch_count, KILN_PUT_QUEUE));                        \
  }
KILN_ALL(KILN_STRIDED, gemmStridedBatched, GemmStridedBatched)

// ---- The library

CLBlastStatusCode CLBlastClearCache() { return to_c(clblast::ClearCache()); }

CLBlastStatusCode CLBlastFillCache(cl_device_id device) { return to_c(clblast::FillCache(device)); }

CLBlastStatusCode CLBlastOverrideParameters(cl_device_id device, const char* kernel_name,
                                            CLBlastPrecision precision, size_t num_parameters,
                                            const char** parameters_names,
                                            const size_t* parameters_values) {
  try {
    std::unordered_map<std::string, size_t> parameters;
    for (size_t i = 0; i < num_parameters; ++i)
      parameters[parameters_names[i]] = parameters_values[i];
    return to_c(clblast::OverrideParameters(
        device, kernel_name, static_cast<clblast::Precision>(precision), parameters));
  } catch (...) {
    return CLBlastOpenCLOutOfHostMemory;
  }
}
