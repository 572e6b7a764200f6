#include "blas/clblast/calls.hpp"
#include "blas/clblast/kernel_parameters.hpp"

// CLBlast's tuners: each searches the parameters of those of Kiln's kernels that do the work of
// CLBlast's, and puts the best on record. Kernels without parameters are as they should be.
namespace kiln::clblast {
namespace {

/// Elements of type T as a call's. Halves are computed by the kernels of floats.
template <class T>
Call call_for(blas::Routine routine, std::size_t m, std::size_t n, std::size_t k) {
  Call call;
  call.routine = routine;
  call.precision = blas::precision_of<Computed<T>>;
  call.m = m;
  call.n = n;
  call.k = k;
  call.alpha = 1;
  return call;
}

bool is_on_cpu(cl_command_queue queue) {
  cl_device_id device = nullptr;
  cl_device_type type = 0;
  return ::clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) ==
             CL_SUCCESS &&
         ::clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr) == CL_SUCCESS &&
         (type & CL_DEVICE_TYPE_CPU) != 0;
}

/// Searches for a call's kernels, and says what came of it in the words of kernels of CLBlast's.
StatusCode tuned(const Call& call, std::string_view family, const cl_command_queue* queue,
                 double fraction, std::initializer_list<std::string_view> kernels,
                 Values& parameters) {
  if (queue == nullptr) return StatusCode::kInvalidCommandQueue;
  blas::NamedValues best;
  const StatusCode status = status_of(kiln_blas_tune(call, *queue, fraction, best));
  if (status != StatusCode::kSuccess) return status;
  for (const std::string_view kernel : kernels)
    in_words_of_clblast(*kernel_named(kernel), family, best, is_on_cpu(*queue), parameters);
  return status;
}

}  // namespace
}  // namespace kiln::clblast

namespace clblast {

using namespace kiln::clblast;
using kiln::blas::Routine;

template <typename T>
StatusCode TuneXgemm(cl_command_queue* queue, size_t m, size_t n, size_t k, double fraction,
                     std::unordered_map<std::string, size_t>& parameters) {
  if (k == 0) return StatusCode::kInvalidDimension;
  return tuned(call_for<T>(Routine::gemm, m, n, k), "blas.gemm", queue, fraction, {"Xgemm"},
               parameters);
}
KILN_ALL(TuneXgemm)

// There is one product for small and large sizes: that of this size.
template <typename T>
StatusCode TuneXgemmDirect(cl_command_queue* queue, size_t m, size_t n, size_t k, double fraction,
                           std::unordered_map<std::string, size_t>& parameters) {
  if (k == 0) return StatusCode::kInvalidDimension;
  return tuned(call_for<T>(Routine::gemm, m, n, k), "blas.gemm", queue, fraction, {"XgemmDirect"},
               parameters);
}
KILN_ALL(TuneXgemmDirect)

// Triangular solves: a solve's best tiles are not a product's. CLBlast's m, n and k are all the
// size of the triangle.
template <typename T>
StatusCode TuneInvert(cl_command_queue* queue, size_t m, size_t n, size_t, double fraction,
                      std::unordered_map<std::string, size_t>& parameters) {
  return tuned(call_for<T>(Routine::trsm, m, n, 0), "blas.gemm", queue, fraction, {"Invert"},
               parameters);
}
KILN_ALL(TuneInvert)

// Two kernels: by columns, of a matrix and of its transpose.
template <typename T>
StatusCode TuneXgemv(cl_command_queue* queue, size_t m, size_t n, double fraction,
                     std::unordered_map<std::string, size_t>& parameters) {
  Call call = call_for<T>(Routine::gemv, m, n, 0);
  if (const StatusCode status =
          tuned(call, "blas.mv_n", queue, fraction, {"Xgemv", "XgemvFast"}, parameters);
      status != StatusCode::kSuccess)
    return status;
  call.trans_a = kiln::blas::Transpose::transpose;
  return tuned(call, "blas.mv_t", queue, fraction, {"XgemvFastRot"}, parameters);
}
KILN_ALL(TuneXgemv)

// ---- Kernels without parameters: arguments are checked
#define KILN_PLAIN_TUNER(Name_, kernel_, routine_, DECLARED, m_, n_)                            \
  template <typename T>                                                                         \
  StatusCode Name_(cl_command_queue* queue, DECLARED, double fraction,                          \
                   std::unordered_map<std::string, size_t>& parameters) {                       \
    return tuned(call_for<T>(routine_, m_, n_, 0), "", queue, fraction, {kernel_}, parameters); \
  }                                                                                             \
  KILN_ALL(Name_)
#define KILN_ONE_SIZE size_t n
#define KILN_TWO_SIZES size_t m, size_t n
KILN_PLAIN_TUNER(TuneXaxpy, "Xaxpy", Routine::axpy, KILN_ONE_SIZE, 0, n)
KILN_PLAIN_TUNER(TuneXdot, "Xdot", Routine::dot, KILN_ONE_SIZE, 0, n)
KILN_PLAIN_TUNER(TuneXger, "Xger", Routine::ger, KILN_TWO_SIZES, m, n)
KILN_PLAIN_TUNER(TuneCopy, "Copy", Routine::omatcopy, KILN_TWO_SIZES, m, n)
KILN_PLAIN_TUNER(TunePad, "Pad", Routine::omatcopy, KILN_TWO_SIZES, m, n)
KILN_PLAIN_TUNER(TuneTranspose, "Transpose", Routine::omatcopy, KILN_TWO_SIZES, m, n)
KILN_PLAIN_TUNER(TunePadtranspose, "Padtranspose", Routine::omatcopy, KILN_TWO_SIZES, m, n)

}  // namespace clblast
