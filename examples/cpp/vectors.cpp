// Matrix times vector, and the length of the result, on buffers of the application.
// Shows kiln/blas/level1.hpp, kiln/blas/level2.hpp, kiln/blas/types.hpp.
#include <cstdio>
#include <kiln/blas.hpp>

using namespace kiln::blas;

/// For any precision: norm of A x, where A is n by n, by rows, and x and A hold ones.
template <Element T>
RealOf<T> norm_of_product(const kiln::Runtime& runtime, std::size_t n) {
  const cl_command_queue queue = runtime.queues().front();
  cl_context context = nullptr;
  clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  std::vector<T> ones(n * n, T(1));
  const auto buffer = [&](std::size_t count) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(T),
                          ones.data(), nullptr);
  };
  const cl_mem a = buffer(n * n), x = buffer(n), y = buffer(n), norm = buffer(1);
  // Calls on one queue follow one another: no event is needed between them.
  run(gemv<T>(Order::row_major, Transpose::none, n, n, T(1), {a, 0, n}, {x}, T(0), {y}), runtime);
  run(nrm2<T>(n, {y}, {norm}), runtime).wait();
  RealOf<T> result = 0;
  clEnqueueReadBuffer(queue, norm, CL_TRUE, 0, sizeof result, &result, 0, nullptr, nullptr);
  for (const cl_mem memory : {a, x, y, norm}) clReleaseMemObject(memory);
  return result;
}

int main() {
  try {
    const kiln::Runtime runtime;
    std::printf("%g %g\n", norm_of_product<float>(runtime, 4),
                static_cast<double>(norm_of_product<std::complex<float>>(runtime, 16)));
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
