#include "device/opencl.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <mutex>

namespace kiln {
namespace {
struct StatusName {
  cl_int status;
  const char* name;
};
#define KILN_STATUS(name) \
  StatusName { name, #name }
constexpr std::array names{
    KILN_STATUS(CL_DEVICE_NOT_FOUND),
    KILN_STATUS(CL_DEVICE_NOT_AVAILABLE),
    KILN_STATUS(CL_COMPILER_NOT_AVAILABLE),
    KILN_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    KILN_STATUS(CL_OUT_OF_RESOURCES),
    KILN_STATUS(CL_OUT_OF_HOST_MEMORY),
    KILN_STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
    KILN_STATUS(CL_MEM_COPY_OVERLAP),
    KILN_STATUS(CL_BUILD_PROGRAM_FAILURE),
    KILN_STATUS(CL_MAP_FAILURE),
    KILN_STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    KILN_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    KILN_STATUS(CL_COMPILE_PROGRAM_FAILURE),
    KILN_STATUS(CL_LINKER_NOT_AVAILABLE),
    KILN_STATUS(CL_LINK_PROGRAM_FAILURE),
    KILN_STATUS(CL_DEVICE_PARTITION_FAILED),
    KILN_STATUS(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    KILN_STATUS(CL_INVALID_VALUE),
    KILN_STATUS(CL_INVALID_DEVICE_TYPE),
    KILN_STATUS(CL_INVALID_PLATFORM),
    KILN_STATUS(CL_INVALID_DEVICE),
    KILN_STATUS(CL_INVALID_CONTEXT),
    KILN_STATUS(CL_INVALID_QUEUE_PROPERTIES),
    KILN_STATUS(CL_INVALID_COMMAND_QUEUE),
    KILN_STATUS(CL_INVALID_HOST_PTR),
    KILN_STATUS(CL_INVALID_MEM_OBJECT),
    KILN_STATUS(CL_INVALID_BINARY),
    KILN_STATUS(CL_INVALID_BUILD_OPTIONS),
    KILN_STATUS(CL_INVALID_PROGRAM),
    KILN_STATUS(CL_INVALID_PROGRAM_EXECUTABLE),
    KILN_STATUS(CL_INVALID_KERNEL_NAME),
    KILN_STATUS(CL_INVALID_KERNEL_DEFINITION),
    KILN_STATUS(CL_INVALID_KERNEL),
    KILN_STATUS(CL_INVALID_ARG_INDEX),
    KILN_STATUS(CL_INVALID_ARG_VALUE),
    KILN_STATUS(CL_INVALID_ARG_SIZE),
    KILN_STATUS(CL_INVALID_KERNEL_ARGS),
    KILN_STATUS(CL_INVALID_WORK_DIMENSION),
    KILN_STATUS(CL_INVALID_WORK_GROUP_SIZE),
    KILN_STATUS(CL_INVALID_WORK_ITEM_SIZE),
    KILN_STATUS(CL_INVALID_GLOBAL_OFFSET),
    KILN_STATUS(CL_INVALID_EVENT_WAIT_LIST),
    KILN_STATUS(CL_INVALID_EVENT),
    KILN_STATUS(CL_INVALID_OPERATION),
    KILN_STATUS(CL_INVALID_BUFFER_SIZE),
    KILN_STATUS(CL_INVALID_GLOBAL_WORK_SIZE),
    KILN_STATUS(CL_INVALID_PROPERTY),
    KILN_STATUS(CL_INVALID_COMPILER_OPTIONS),
    KILN_STATUS(CL_INVALID_LINKER_OPTIONS),
    KILN_STATUS(CL_INVALID_DEVICE_PARTITION_COUNT),
    // What NVIDIA's driver says after a kernel that reached outside of its memory.
    StatusName{-9999, "an illegal access to memory"},
    // cl_khr_icd: what the loader says when it knows no platform
    StatusName{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef KILN_STATUS
}  // namespace

std::string cl_status_name(cl_int status) {
  for (const auto& entry : names)
    if (entry.status == status) return entry.name;
  return "unknown OpenCL status";
}

ClError cl_error(std::string_view call, cl_int status) {
  return {fmt::format("{} failed: {} ({})", call, cl_status_name(status), status), status};
}

namespace detail {
std::atomic<bool> forked_with_drivers = false;
}

void note_drivers() {
  // In a child whose parent had noted them the flag is set already, and stays.
  static std::once_flag once;
  std::call_once(
      once, [] { ::pthread_atfork(nullptr, nullptr, [] { detail::forked_with_drivers = true; }); });
}

Error error_after_fork() {
  return {Errc::unsupported,
          "this process was forked from one that had used OpenCL, whose drivers do not work in a "
          "child; fork before the first use, or exec() in the child"};
}

}  // namespace kiln
