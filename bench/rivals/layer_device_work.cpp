// Device work as a program has it, by the host's clock: rounds of a write, kernels of tens of
// microseconds to some milliseconds, a copy and a read that waits for all. Then launches of a
// kernel that does next to nothing. Knows OpenCL alone.
//
//   layer_device_work       prints the median microseconds of a round, its fastest kernel's and its
//                           slowest one's, and the nanoseconds of a small launch
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

const char* const text = R"(
kernel void work(global float* a, int steps) {
  int i = get_global_id(0);
  float x = a[i], y = 0.5f;
  for (int k = 0; k < steps; ++k) y = y * x + 0.25f;
  a[i] = y;
}
kernel void small(global float* a) { a[get_global_id(0)] = 1; }
)";

/// Launches of a round: how many steps, and how often.
struct Launches {
  cl_int steps;
  int count;
};
constexpr Launches mix[] = {{24, 8}, {96, 4}, {400, 2}, {600, 1}};
constexpr std::size_t items = 4096, elements = 65536, bytes = elements * sizeof(float);
constexpr int rounds = 31, warm_up = 3, small_launches = 500;

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, status);
  std::exit(1);
}

template <class Work>
double microseconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

/// After some that do not count.
template <class Work>
double median_of_rounds(const Work& work) {
  std::vector<double> times;
  for (int i = -warm_up; i < rounds; ++i) {
    const double time = microseconds_of(work);
    if (i >= 0) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  cl_int status = 0;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  const char* source = text;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  const cl_kernel work = clCreateKernel(program, "work", &status);
  check(status, "work");
  const cl_kernel small = clCreateKernel(program, "small", &status);
  check(status, "small");
  const cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check(status, "clCreateBuffer");
  const cl_mem copy = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check(status, "clCreateBuffer");
  check(clSetKernelArg(work, 0, sizeof memory, &memory), "clSetKernelArg");
  check(clSetKernelArg(small, 0, sizeof memory, &memory), "clSetKernelArg");
  std::vector<float> values(elements, 0.5f);
  const std::size_t local = 64;
  const auto launch = [&](cl_kernel kernel, std::size_t global) {
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
  };
  const auto launch_work = [&](cl_int steps) {
    check(clSetKernelArg(work, 1, sizeof steps, &steps), "clSetKernelArg");
    launch(work, items);
  };

  const double round = median_of_rounds([&] {
    check(
        clEnqueueWriteBuffer(queue, memory, CL_FALSE, 0, bytes, values.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
    for (const Launches& launches : mix)
      for (int i = 0; i < launches.count; ++i) launch_work(launches.steps);
    check(clEnqueueCopyBuffer(queue, memory, copy, 0, 0, bytes, 0, nullptr, nullptr),
          "clEnqueueCopyBuffer");
    check(clEnqueueReadBuffer(queue, copy, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  });
  const auto alone = [&](cl_int steps) {
    return median_of_rounds([&] {
      launch_work(steps);
      check(clFinish(queue), "clFinish");
    });
  };
  const double fastest = alone(std::begin(mix)->steps), slowest = alone(std::rbegin(mix)->steps);
  const double launches = median_of_rounds([&] {
    for (int i = 0; i < small_launches; ++i) launch(small, local);
    check(clFinish(queue), "clFinish");
  });
  std::printf("%.2f %.2f %.2f %.1f\n", round, fastest, slowest, launches / small_launches * 1000);
  return 0;
}
