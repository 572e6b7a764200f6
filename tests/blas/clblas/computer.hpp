#pragma once

#include <clBLAS.h>
#include <gtest/gtest.h>

#include <CL/opencl.hpp>
#include <vector>

namespace clblas_test {

/// A CPU device with a context and two queues of its own: what a program brings to clBLAS.
class Computer {
 public:
  Computer() {
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const auto& platform : platforms) {
      std::vector<cl::Device> devices;
      try {
        platform.getDevices(CL_DEVICE_TYPE_CPU, &devices);
      } catch (const cl::Error&) {
        continue;  // this platform has none
      }
      context_ = cl::Context(devices.front());
      for (auto& queue : queues_) queue = cl::CommandQueue(context_, devices.front());
      handles_ = {queues_[0](), queues_[1]()};
      return;
    }
    throw std::runtime_error("these tests need an OpenCL device of type CPU (PoCL)");
  }
  const cl::Context& context() const { return context_; }
  const cl::CommandQueue& queue(std::size_t index = 0) const { return queues_[index]; }
  cl_command_queue* queues() { return handles_.data(); }
  void finish() const {
    for (const auto& queue : queues_) queue.finish();
  }

  template <class T>
  cl::Buffer buffer(std::vector<T> contents) const {
    return {context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, contents.size() * sizeof(T),
            contents.data()};
  }
  /// Bytes of zero.
  cl::Buffer zeros(std::size_t bytes) const { return buffer(std::vector<char>(bytes)); }
  template <class T>
  std::vector<T> contents(const cl::Buffer& buffer) const {
    finish();
    std::vector<T> all(buffer.getInfo<CL_MEM_SIZE>() / sizeof(T));
    queues_[0].enqueueReadBuffer(buffer, CL_TRUE, 0, all.size() * sizeof(T), all.data());
    return all;
  }

 private:
  cl::Context context_;
  cl::CommandQueue queues_[2];
  std::vector<cl_command_queue> handles_;
};

}  // namespace clblas_test
