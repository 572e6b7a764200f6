// A batch of products of halves by CLBlast's interface, on the first device that there is.
// Shows clblast.h, clblast_half.h.
#include <clblast.h>
#include <clblast_half.h>

#include <cstdio>
#include <vector>

int main() {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
    return 2;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);

  constexpr size_t n = 4, batch = 3;
  std::vector<half> a(n * n), b(batch * n * n), c(batch * n * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = FloatToHalf(i % (n + 1) == 0 ? 0.5f : 0.0f);
  for (size_t i = 0; i < b.size(); ++i) b[i] = FloatToHalf(static_cast<float>(i));
  const auto buffer = [&](std::vector<half>& values) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          values.size() * sizeof(half), values.data(), nullptr);
  };
  cl_mem in_a = buffer(a), in_b = buffer(b), out = buffer(c);

  // c[i] := A b[i]; a stride of 0 means that all use the same A. No device needs halves of its own.
  cl_event done = nullptr;
  const clblast::StatusCode status = clblast::GemmStridedBatched<half>(
      clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo, n, n, n,
      FloatToHalf(1), in_a, 0, n, 0, in_b, 0, n, n * n, FloatToHalf(0), out, 0, n, n * n, batch,
      &queue, &done);
  if (status == clblast::StatusCode::kSuccess) {
    clWaitForEvents(1, &done);
    clReleaseEvent(done);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, c.size() * sizeof(half), c.data(), 0, nullptr,
                        nullptr);
    std::printf("c[47] = %g\n", HalfToFloat(c[47]));
  }
  for (cl_mem memory : {in_a, in_b, out}) clReleaseMemObject(memory);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return status == clblast::StatusCode::kSuccess ? 0 : 1;
}
