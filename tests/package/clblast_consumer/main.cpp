#include <clblast.h>

#include <cstdio>
#include <vector>

// C := A B on the first CPU device, and a call that must fail; prints what came out.
int main() {
  std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 0, 1, 3}, c(4);  // 2 x 3 and 3 x 2, by rows
  cl_platform_id platforms[8];
  cl_device_id device = nullptr;
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return 2;
  for (cl_uint i = 0; i < count && i < 8 && device == nullptr; ++i)
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS)
      device = nullptr;
  if (device == nullptr) return 2;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  const auto buffer = [&](std::vector<float>& values) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          values.size() * sizeof(float), values.data(), nullptr);
  };
  cl_mem in_a = buffer(a), in_b = buffer(b), out = buffer(c);
  cl_event event = nullptr;
  using clblast::Gemm;
  using clblast::Layout;
  using clblast::Transpose;
  const auto status = Gemm(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 2, 2, 3, 1.0f, in_a,
                           0, 3, in_b, 0, 2, 0.0f, out, 0, 2, &queue, &event);
  if (status == clblast::StatusCode::kSuccess) {
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4 * sizeof(float), c.data(), 0, nullptr, nullptr);
  }
  const auto bad = Gemm(Layout::kRowMajor, Transpose::kNo, Transpose::kNo, 2, 2, 3, 1.0f, in_a, 0,
                        2, in_b, 0, 2, 0.0f, out, 0, 2, &queue, nullptr);
  std::printf("%d %g %g %g %g %d\n", static_cast<int>(status), c[0], c[1], c[2], c[3],
              static_cast<int>(bad));
  for (cl_mem memory : {in_a, in_b, out}) clReleaseMemObject(memory);
  clblast::ClearCache();
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}
