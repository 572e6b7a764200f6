#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/context.hpp"
#include "kernel/program/program.hpp"

// A kernel that is ready to be enqueued.
namespace kiln {

/// A kernel with its arguments and NDRange: prepared once, enqueued many times. Owns its
/// cl_kernel, since setting arguments is not thread-safe in OpenCL: one Launch belongs to one
/// thread at a time; everything else may be shared. Knows nothing of where it runs.
class Launch {
 public:
  /// Throws where the program has no such kernel.
  Launch(ContextPtr context, Program& program, const std::string& kernel);
  Launch(Launch&&) = default;
  Launch& operator=(Launch&&) = delete;

  /// Arguments by position. Buffers must outlive every enqueued run (OpenCL does not keep them for
  /// the time between setting and enqueuing). Throws with the argument's position and name.
  void set_scalar(unsigned position, ByteView value);
  template <class T>
  requires std::is_arithmetic_v<T>
  void set_scalar(unsigned position, const T& value) { set_scalar(position, bytes_of(value)); }
  void set_buffer(unsigned position, const cl::Buffer& buffer) { set_memory(position, buffer()); }
  void set_memory(unsigned position, cl_mem memory);
  /// Throws bad_input where the kernel has more local memory then than its device, its own
  /// included: some drivers end the process at the launch.
  void set_local(unsigned position, std::size_t bytes);

  /// Checks the geometry against the device and the kernel, and makes its variant where it is
  /// missing.
  void set_range(const NDRange& range);
  const NDRange& range() const { return range_; }
  const KernelInfo& info() const { return info_; }

  /// Enqueues one run; takes no lock of Kiln's and allocates nothing. The event is the caller's to
  /// release; pass nullptr where none is wanted.
  void enqueue(cl_command_queue queue, std::span<const cl_event> after = {},
               cl_event* done = nullptr) {
    const cl_int status = clEnqueueNDRangeKernel(
        queue, handle_, range_.dimensions, has_offset_ ? range_.offset.data() : nullptr,
        range_.global.data(), range_.local.data(), static_cast<cl_uint>(after.size()),
        after.empty() ? nullptr : after.data(), done);
    if (status != CL_SUCCESS) throw_enqueue(status);
  }

 private:
  struct LocalBytes {
    unsigned position;
    std::size_t bytes;
  };
  [[noreturn]] void throw_enqueue(cl_int status) const;
  void check_argument(unsigned position, cl_int status) const;
  std::string describe_argument(unsigned position) const;
  void check_local_memory(const std::vector<LocalBytes>& locals) const;
  void check_work_group(const NDRange& range) const;

  /// What a driver says of a kernel on its device; asked once. 0: it says nothing.
  struct Limits {
    cl_ulong own_local_bytes = 0;  ///< of variables in the kernel
    std::size_t work_items = 0;    ///< of a work-group
  };
  static Limits limits_of(cl_kernel kernel, cl_device_id device);
  ContextPtr context_;
  Program* program_;
  const KernelInfo& info_;
  cl::Kernel kernel_;
  cl_kernel handle_;
  Limits limits_;
  std::vector<LocalBytes> locals_;  ///< of arguments
  NDRange range_;
  bool has_offset_ = false;  // without one PoCL takes its zero-offset variant
};

/// Whether a device can launch a geometry; the error says which bound it breaks. Kernels may have
/// tighter bounds, which Launch::set_range knows.
Expected<void> check_range(const NDRange& range, const Device& device);

}  // namespace kiln
