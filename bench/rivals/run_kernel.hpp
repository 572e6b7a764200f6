#pragma once

#include "vector_add.hpp"

namespace rival {

/// One launch of a kernel that takes (float a, global const float* x, global float* y, int n), and
/// its result on standard output.
inline void run_kernel(const Machine& machine, cl_program program, const char* name, int count,
                       std::size_t local) {
  cl_int status = 0;
  cl_kernel kernel = clCreateKernel(program, name, &status);
  check(status, "clCreateKernel");

  const std::size_t items = static_cast<std::size_t>(count);
  std::vector<float> x(items, 0.5f), y(items, 0.25f);
  cl_mem buffers[2];
  for (cl_uint i = 0; i < 2; ++i) {
    buffers[i] = clCreateBuffer(machine.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                items * sizeof(float), i == 0 ? x.data() : y.data(), &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, i + 1, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
  }
  const float a = 2;
  check(clSetKernelArg(kernel, 0, sizeof a, &a), "clSetKernelArg");
  check(clSetKernelArg(kernel, 3, sizeof count, &count), "clSetKernelArg");
  check(clEnqueueNDRangeKernel(machine.queue, kernel, 1, nullptr, &items, &local, 0, nullptr,
                               nullptr),
        "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(machine.queue, buffers[1], CL_TRUE, 0, items * sizeof(float), y.data(),
                            0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  std::printf("%g %g\n", y[0], y[items - 1]);
  for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
}

}  // namespace rival
