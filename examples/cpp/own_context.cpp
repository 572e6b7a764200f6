// Kiln in a program that has an OpenCL context, a queue and buffers already: it works in them, and
// waits for nothing that it was not asked to wait for.
// Shows kiln/runtime.hpp.
#include <cstdio>
#include <kiln/kernel.hpp>

namespace {

constexpr const char* text = R"(
__kernel void scale(__global float* x, float factor) { x[get_global_id(0)] *= factor; }
__kernel void add(__global const float* x, __global float* sum) {
  sum[get_global_id(0)] += x[get_global_id(0)];
}
)";

/// The application's part: the first device of the first platform.
struct Application {
  Application() {
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
  }
  ~Application() {
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

}  // namespace

int main() {
  const std::size_t n = 4096;
  const Application application;
  std::vector<float> values(n, 1.0f);
  const cl_mem buffer = clCreateBuffer(application.context, CL_MEM_COPY_HOST_PTR, n * sizeof(float),
                                       values.data(), nullptr);
  try {
    const cl_command_queue queues[] = {application.queue};
    const auto runtime = kiln::Runtime::adopt(application.context, queues);
    const auto x = runtime.wrap<float>(buffer, n);  // the application's buffer
    const auto sum = runtime.array<float>(n);       // one of Kiln's own
    const kiln::Range range{.global = {n}, .local = {64}};
    auto scale = runtime.kernel(kiln::Source::text(text), "scale")(x, 3.0f);
    auto add = runtime.kernel(kiln::Source::text(text), "add")(x, sum);
    scale.prepare(range);  // compiles now, so that nothing below does
    add.prepare(range);
    kiln::Event done;
    for (int step = 0; step < 3; ++step) {
      scale.enqueue(range);
      done = add.enqueue(range);
    }
    done.wait();
    std::printf("x[7] = %g, sum[7] = %g\n", x.read()[7], sum.read()[7]);
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
  clReleaseMemObject(buffer);
}
