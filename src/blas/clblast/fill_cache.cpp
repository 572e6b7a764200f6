#include <array>
#include <vector>

#include "blas/clblast/calls.hpp"
#include "device/opencl.hpp"

// FillCache: the kernels of common calls, made by running each once on memory of its own. They are
// in Kiln's store afterwards, for this process and others.
namespace kiln::clblast {
namespace {

/// A queue on a device, with three operands of zeros that serve every call.
class Trial {
 public:
  explicit Trial(cl_device_id device) : device_(cl::Device(device, true)), context_(device_) {
    queue_ = cl::CommandQueue(context_, device_);
    const std::vector<char> zeros(n * n * sizeof(std::complex<double>));
    for (auto& buffer : buffers_)
      buffer = cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, zeros.size(),
                          const_cast<char*>(zeros.data()));
  }

  bool has_doubles() const {
    return !device_.getInfo<CL_DEVICE_EXTENSIONS>().empty() &&
           device_.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0;
  }

  /// Makes the calls with elements of T; the first status that is none of success.
  template <class T>
  StatusCode run() {
    using enum Transpose;
    cl_mem a = buffers_[0](), b = buffers_[1](), c = buffers_[2]();
    cl_command_queue queue = queue_();
    const T one = static_cast<T>(1), zero = static_cast<T>(0);
    const Layout by_columns = Layout::kColMajor;
    StatusCode status = StatusCode::kSuccess;
    const auto next = [&](StatusCode made) {
      if (status == StatusCode::kSuccess) status = made;
    };
    next(::clblast::Copy<T>(n, a, 0, 1, b, 0, 1, &queue));
    next(::clblast::Swap<T>(n, a, 0, 1, b, 0, 1, &queue));
    next(::clblast::Scal<T>(n, one, a, 0, 1, &queue));
    next(::clblast::Axpy<T>(n, one, a, 0, 1, b, 0, 1, &queue));
    next(::clblast::Nrm2<T>(n, c, 0, a, 0, 1, &queue));
    next(::clblast::Asum<T>(n, c, 0, a, 0, 1, &queue));
    next(::clblast::Amax<T>(n, c, 0, a, 0, 1, &queue));
    for (const Transpose trans : {kNo, kYes}) {
      next(::clblast::Gemv<T>(by_columns, trans, n, n, one, a, 0, n, b, 0, 1, zero, c, 0, 1,
                              &queue));
      next(::clblast::Omatcopy<T>(by_columns, trans, n, n, one, a, 0, n, b, 0, n, &queue));
      for (const Transpose other : {kNo, kYes})
        next(::clblast::Gemm<T>(by_columns, trans, other, n, n, n, one, a, 0, n, b, 0, n, zero, c,
                                0, n, &queue));
    }
    if (status == StatusCode::kSuccess) queue_.finish();
    return status;
  }

 private:
  static constexpr std::size_t n = 256;
  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  std::array<cl::Buffer, 3> buffers_;
};

}  // namespace
}  // namespace kiln::clblast

namespace clblast {

using namespace kiln::clblast;

StatusCode FillCache(const cl_device_id device) {
  try {
    Trial trial(device);
    StatusCode status = trial.run<float>();
    if (status == StatusCode::kSuccess) status = trial.run<std::complex<float>>();
    if (status != StatusCode::kSuccess || !trial.has_doubles()) return status;
    status = trial.run<double>();
    return status == StatusCode::kSuccess ? trial.run<std::complex<double>>() : status;
  } catch (const cl::Error& error) {
    return static_cast<StatusCode>(error.err());
  } catch (const std::bad_alloc&) {
    return StatusCode::kOpenCLOutOfHostMemory;
  } catch (...) {
    return StatusCode::kUnexpectedError;
  }
}

}  // namespace clblast
