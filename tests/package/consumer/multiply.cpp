#include <cstdio>
#include <kiln/blas.hpp>
#include <vector>

using namespace kiln;
using namespace kiln::blas;

// Multiplies on the first device: once as it comes, twice by a plan.
int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
    return 1;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  const cl_command_queue queue =
      clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
  std::vector<float> a{1, 2, 3, 4}, b{5, 6, 7, 8}, c(4, 0);
  const auto buffer = [&](std::vector<float>& of) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          of.size() * sizeof(float), of.data(), nullptr);
  };
  const cl_mem on_a = buffer(a), on_b = buffer(b), on_c = buffer(c);
  try {
    const Call product = gemm<float>(Order::row_major, Transpose::none, Transpose::none, 2, 2, 2, 1,
                                     {on_a, 0, 2}, {on_b, 0, 2}, 1, {on_c, 0, 2});
    run(product, queue);
    Plan plan(product, queue);
    plan.repeat();
    plan.run(product);
    clEnqueueReadBuffer(queue, on_c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), 0, nullptr,
                        nullptr);
    std::printf("%g %g %g %g, %s\n", c[0], c[1], c[2], c[3],
                explain(product, queue).steps.empty() ? "by nothing" : "by kernels");
    run(gemm<float>(Order::row_major, Transpose::none, Transpose::none, 2, 2, 2, 1, {on_a, 0, 1},
                    {on_b, 0, 2}, 1, {on_c, 0, 2}),
        queue);
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
  for (const cl_mem memory : {on_a, on_b, on_c}) clReleaseMemObject(memory);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
