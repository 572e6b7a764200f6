#pragma once

// The one place that configures Khronos' C++ bindings: OpenCL 1.2 is what Kiln needs, errors are
// exceptions (cl::Error), turned into kiln::Error at the module's edge.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/opencl.hpp>
#include <atomic>
#include <string>

#include "kiln/error.hpp"

namespace kiln {

/// The standard name of an OpenCL status, e.g. "CL_INVALID_BINARY".
std::string cl_status_name(cl_int status);

/// An error of code `device` that still knows the status it came from, for interfaces that hand it
/// on.
class ClError : public Error {
 public:
  ClError(std::string message, cl_int status)
      : Error(Errc::device, std::move(message)), status_(status) {}
  cl_int status() const noexcept { return status_; }

 private:
  cl_int status_;
};

/// "clCreateContext failed on DEVICE: CL_OUT_OF_RESOURCES (-5)".
ClError cl_error(std::string_view call, cl_int status);
inline ClError cl_error(const cl::Error& error) { return cl_error(error.what(), error.err()); }

/// What a call returns; its cl::Error is thrown as Kiln's own.
template <class Call>
decltype(auto) with_cl_errors(Call&& call) {
  try {
    return call();
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

/// Throws kiln::Error when a status is not CL_SUCCESS. For plain C calls on hot paths.
inline void check_cl(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw cl_error(call, status);
}

/// A child of fork() has none of the threads of the drivers that its parent has loaded, so that a
/// wait for a command in it never ends. note_drivers() is called by all functions that open
/// devices; processes that are forked after its first call are known as such children.
void note_drivers();
/// The error for such a child.
Error error_after_fork();
namespace detail {
extern std::atomic<bool> forked_with_drivers;
}
inline bool is_forked_with_drivers() noexcept {
  return detail::forked_with_drivers.load(std::memory_order_relaxed);
}
/// Throws error_after_fork() in such a child.
inline void refuse_after_fork() {
  if (is_forked_with_drivers()) throw error_after_fork();
}

}  // namespace kiln
