// Nanoseconds that a call of OpenCL takes over the driver that is loaded, for a kernel among many:
// clSetKernelArg and clEnqueueNDRangeKernel, the smallest of the rounds each. A driver that returns
// at once (the tests' null driver) leaves what loader and layers cost.
//
//   layer_calls set-arg | enqueue       prints the nanoseconds
//   layer_calls platforms               asks for the platforms and ends
//   layer_calls nothing                 opens a context and ends; prints kilobytes in memory
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int calls = 200'000, rounds = 15;

template <class Call>
double smallest_ns(const Call& call) {
  double smallest = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    smallest = std::min(smallest, taken.count() / calls);
  }
  return smallest;
}

/// Memory of this process alone, in kilobytes: what libraries share with others is left out.
long own_kilobytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  long sum = 0, value = 0;
  for (std::string word; file >> word;)
    if (word.starts_with("Private_") && file >> value) sum += value;
  return sum;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS) return 1;
  if (what == "platforms") return 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) return 1;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  if (what == "nothing") {
    std::printf("%ld\n", own_kilobytes());
    return 0;
  }
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  const char* text = "kernel void k(global int* a, int b) { a[get_global_id(0)] = b; }";
  const cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
  if (clBuildProgram(program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS) return 1;
  std::vector<cl_kernel> kernels(64);
  for (auto& kernel : kernels) kernel = clCreateKernel(program, "k", nullptr);
  const cl_kernel kernel = kernels[40];
  const cl_int value = 5;
  const cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, nullptr, nullptr);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
  clSetKernelArg(kernel, 1, sizeof value, &value);
  const std::size_t global = 256, local = 64;
  if (what == "set-arg")
    std::printf("%.2f\n", smallest_ns([&] { clSetKernelArg(kernel, 1, sizeof value, &value); }));
  else if (what == "enqueue")
    std::printf("%.2f\n", smallest_ns([&] {
                  clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr,
                                         nullptr);
                }));
  else
    return 2;
  return 0;
}
