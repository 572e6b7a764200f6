#pragma once

// What the rivals share: VectorAdd on the first CPU device as a careful programmer writes it in
// C++ with nothing but OpenCL.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace rival {

inline void check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", call, status);
  std::exit(1);
}

struct Machine {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

inline Machine open_machine() {
  cl_platform_id platforms[8];
  cl_uint platform_count = 0;
  check(clGetPlatformIDs(8, platforms, &platform_count), "clGetPlatformIDs");
  Machine machine;
  for (cl_uint i = 0; i < platform_count && machine.device == nullptr; ++i)
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &machine.device, nullptr) != CL_SUCCESS)
      machine.device = nullptr;
  if (machine.device == nullptr) check(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs");
  cl_int status = 0;
  machine.context = clCreateContext(nullptr, 1, &machine.device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  machine.queue = clCreateCommandQueue(machine.context, machine.device, 0, &status);
  check(status, "clCreateCommandQueue");
  return machine;
}

inline void close_machine(const Machine& machine) {
  clReleaseCommandQueue(machine.queue);
  clReleaseContext(machine.context);
}

inline std::vector<unsigned char> read_file(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) {
    std::perror(path);
    std::exit(1);
  }
  std::fseek(file, 0, SEEK_END);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(std::ftell(file)));
  std::rewind(file);
  if (std::fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) std::exit(1);
  std::fclose(file);
  return bytes;
}

/// Makes the buffers, fills the inputs, runs the kernel, reads the sum back and prints its start.
inline void run_vector_add(const Machine& machine, cl_program program, int count) {
  cl_int status = 0;
  cl_kernel kernel = clCreateKernel(program, "vector_add", &status);
  check(status, "clCreateKernel");
  const std::size_t items = static_cast<std::size_t>(count), bytes = items * sizeof(float);
  std::vector<float> a(items), b(items), sum(items);
  std::mt19937 random(0);
  std::uniform_real_distribution<float> unit;
  for (float& value : a) value = unit(random);
  for (float& value : b) value = unit(random);

  cl_mem buffers[3];
  void* const sources[3] = {a.data(), b.data(), sum.data()};
  for (cl_uint i = 0; i < 3; ++i) {
    buffers[i] = clCreateBuffer(machine.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                sources[i], &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
  }
  check(clSetKernelArg(kernel, 3, sizeof count, &count), "clSetKernelArg");
  const std::size_t local = 64;
  check(clEnqueueNDRangeKernel(machine.queue, kernel, 1, nullptr, &items, &local, 0, nullptr,
                               nullptr),
        "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(machine.queue, buffers[2], CL_TRUE, 0, bytes, sum.data(), 0, nullptr,
                            nullptr),
        "clEnqueueReadBuffer");
  std::printf("%g %g %g\n", sum[0], sum[1], sum[2]);
  for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
}

}  // namespace rival
