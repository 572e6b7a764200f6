#include "device/queue_handle.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <vector>

namespace kiln {
namespace {

/// The first word of an object, where OpenCL's loader finds the driver's functions; nothing where
/// the address is none of this process. (Where the system forbids the question, the handle itself
/// has to be trusted.)
std::optional<std::uintptr_t> first_word(const void* object) {
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  if (address == 0 || address % alignof(void*) != 0) return std::nullopt;
  std::uintptr_t word = 0;
  const iovec into{&word, sizeof word};
  const iovec from{const_cast<void*>(object), sizeof word};
  if (::process_vm_readv(::getpid(), &into, 1, &from, 1, 0) == sizeof word) return word;
  if (errno == EFAULT) return std::nullopt;
  return *static_cast<const std::uintptr_t*>(object);
}

template <class Value>
Value info_of(cl_command_queue queue, cl_command_queue_info what) {
  Value value{};
  const cl_int status = ::clGetCommandQueueInfo(queue, what, sizeof value, &value, nullptr);
  return status == CL_SUCCESS ? value : Value{};
}

std::vector<cl_device_id> devices_of(cl_context context) {
  std::size_t bytes = 0;
  if (::clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  if (::clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices.data(), nullptr) != CL_SUCCESS)
    return {};
  return devices;
}

}  // namespace

bool is_queue(cl_command_queue queue) {
  const auto driver = first_word(queue);
  if (!driver || !first_word(reinterpret_cast<const void*>(*driver))) return false;
  auto* const context = info_of<cl_context>(queue, CL_QUEUE_CONTEXT);
  auto* device = info_of<cl_device_id>(queue, CL_QUEUE_DEVICE);
  if (first_word(context) != driver || first_word(device) != driver) return false;
  const std::vector<cl_device_id> devices = devices_of(context);
  // PoCL lists a sub-device's parent as the device of its context. Parts have parts.
  constexpr int deepest = 8;
  for (int depth = 0; depth < deepest && first_word(device) == driver; ++depth) {
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) return true;
    cl_device_id parent = nullptr;
    if (::clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, nullptr) !=
        CL_SUCCESS)
      return false;
    device = parent;
  }
  return false;
}

}  // namespace kiln
