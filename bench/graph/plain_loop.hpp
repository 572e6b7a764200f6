#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/families.hpp"

// A graph on one device as a programmer would write it by hand: one queue in order, so that no
// command waits for another's event; arguments are set only where they differ from the last ones.
namespace graph_families {

inline void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed: " + std::to_string(status));
}

/// Memory that begins at a page, as large as asked for.
struct PageMemory {
  explicit PageMemory(std::size_t bytes)
      : begin(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), &std::free) {}
  float* floats() const { return static_cast<float*>(begin.get()); }
  std::unique_ptr<void, decltype(&std::free)> begin;
};

/// One device with a queue in order, and the kernels' program.
class Machine {
 public:
  /// A device of the first platform that has any, counted from 0.
  explicit Machine(std::size_t number = 0) {
    device = all_devices().at(number);
    cl_int status = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const char* text = kernel_text;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    cl_bool shares = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof shares, &shares, nullptr);
    shares_memory = shares == CL_TRUE;
  }
  ~Machine() {
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Where KILN_BENCH_DEVICES begins with "gpu", GPUs alone.
  static std::vector<cl_device_id> all_devices() {
    const char* const wanted = std::getenv("KILN_BENCH_DEVICES");
    const bool wants_gpu = wanted != nullptr && std::string(wanted).starts_with("gpu");
    const cl_device_type type = wants_gpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_ALL;
    cl_platform_id platforms[8];
    cl_uint count = 0;
    check(clGetPlatformIDs(8, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < std::min<cl_uint>(count, 8); ++i) {
      cl_device_id found[8];
      cl_uint devices = 0;
      if (clGetDeviceIDs(platforms[i], type, 8, found, &devices) == CL_SUCCESS)
        return {found, found + std::min<cl_uint>(devices, 8)};
    }
    throw std::runtime_error("no OpenCL device");
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  bool shares_memory = false;  ///< works in the host's memory
};

class PlainLoop {
 public:
  /// Both stay as long as this.
  PlainLoop(const Graph& graph, const Machine& machine) : graph_(graph), machine_(machine) {
    cl_int status = CL_SUCCESS;
    for (std::uint32_t i = 0; i < graph.buffers.size(); ++i) {
      const std::size_t bytes = graph.buffers[i].bytes;
      host_.emplace_back(bytes);
      fill(graph, i, host_.back().floats());
      const cl_mem_flags flags =
          CL_MEM_READ_WRITE | (machine_.shares_memory ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR);
      buffers_.push_back(
          clCreateBuffer(machine_.context, flags, bytes, host_.back().floats(), &status));
      check(status, "clCreateBuffer");
    }
    prepare();
  }
  ~PlainLoop() {
    for (const cl_kernel kernel : kernels_) clReleaseKernel(kernel);
    for (const cl_mem buffer : buffers_) clReleaseMemObject(buffer);
  }
  PlainLoop(const PlainLoop&) = delete;
  PlainLoop& operator=(const PlainLoop&) = delete;

  /// Milliseconds from the first command to the last result on the host.
  double run() {
    const auto start = std::chrono::steady_clock::now();
    for (const Command& command : commands_) {
      for (std::uint32_t i = command.first_setting; i < command.end_setting; ++i)
        check(clSetKernelArg(command.kernel, settings_[i].position, settings_[i].bytes,
                             settings_[i].bytes == sizeof(cl_mem)
                                 ? static_cast<const void*>(&settings_[i].memory)
                                 : &settings_[i].scalar),
              "clSetKernelArg");
      check(clEnqueueNDRangeKernel(machine_.queue, command.kernel, command.geometry->dimensions,
                                   nullptr, command.geometry->global.data(),
                                   command.geometry->local.data(), 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    }
    // What works in the host's memory has left the results there.
    for (std::uint32_t i = 0; i < graph_.buffers.size() && !machine_.shares_memory; ++i)
      if (graph_.buffers[i].is_result)
        check(clEnqueueReadBuffer(machine_.queue, buffers_[i], CL_FALSE, 0, graph_.buffers[i].bytes,
                                  host_[i].floats(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    check(clFinish(machine_.queue), "clFinish");
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    return taken.count();
  }

  /// Contents as before the first run.
  void reset() {
    for (std::uint32_t i = 0; i < graph_.buffers.size(); ++i) {
      if (graph_.buffers[i].contents == Contents::none) continue;
      fill(graph_, i, host_[i].floats());
      if (!machine_.shares_memory)
        check(clEnqueueWriteBuffer(machine_.queue, buffers_[i], CL_TRUE, 0, graph_.buffers[i].bytes,
                                   host_[i].floats(), 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
  }

  std::uint64_t result_digest() const {
    std::uint64_t number = digest_start;
    for (std::uint32_t i = 0; i < graph_.buffers.size(); ++i)
      if (graph_.buffers[i].is_result)
        number = digest(number, host_[i].floats(), graph_.buffers[i].bytes);
    return number;
  }

 private:
  struct Setting {
    cl_uint position;
    std::size_t bytes;
    cl_mem memory;
    Scalar scalar;
    bool operator==(const Setting&) const = default;
  };
  struct Command {
    cl_kernel kernel;
    const Kernel* geometry;
    std::uint32_t first_setting, end_setting;
  };

  std::vector<Setting> all_settings(const Task& task) const {
    std::vector<Setting> all;
    for (const Access& access : task.accesses)
      all.push_back({static_cast<cl_uint>(all.size()), sizeof(cl_mem), buffers_[access.buffer], 0});
    for (const Scalar scalar : task.scalars)
      all.push_back({static_cast<cl_uint>(all.size()), sizeof scalar, nullptr, scalar});
    return all;
  }

  void prepare() {
    cl_int status = CL_SUCCESS;
    for (const Kernel& kernel : graph_.kernels) {
      kernels_.push_back(clCreateKernel(machine_.program, kernel.name.c_str(), &status));
      check(status, "clCreateKernel");
    }
    // Each run begins with what the last one has left, so that the first one gets that, too.
    std::vector<std::vector<Setting>> last(graph_.kernels.size());
    for (const Task& task : graph_.tasks) last[task.kernel] = all_settings(task);
    for (std::size_t kernel = 0; kernel < last.size(); ++kernel)
      for (const Setting& setting : last[kernel])
        check(clSetKernelArg(kernels_[kernel], setting.position, setting.bytes,
                             setting.bytes == sizeof(cl_mem)
                                 ? static_cast<const void*>(&setting.memory)
                                 : &setting.scalar),
              "clSetKernelArg");
    for (const Task& task : graph_.tasks) {
      Command command{kernels_[task.kernel], &graph_.kernels[task.kernel],
                      static_cast<std::uint32_t>(settings_.size()), 0};
      const auto all = all_settings(task);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != last[task.kernel][i]) settings_.push_back(all[i]);
      last[task.kernel] = all;
      command.end_setting = static_cast<std::uint32_t>(settings_.size());
      commands_.push_back(command);
    }
  }

  const Graph& graph_;
  const Machine& machine_;
  std::vector<PageMemory> host_;
  std::vector<cl_mem> buffers_;
  std::vector<cl_kernel> kernels_;
  std::vector<Setting> settings_;
  std::vector<Command> commands_;
};

}  // namespace graph_families
