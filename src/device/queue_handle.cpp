#include "device/queue_handle.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "base/lifetime.hpp"
#include "device/opencl.hpp"

namespace kiln {
namespace {

/// A word of this process's memory; nothing where the address is none. (Where the system forbids
/// the question, the handle itself has to be trusted.)
std::optional<std::uintptr_t> word_at(std::uintptr_t address) {
  if (address == 0 || address % alignof(void*) != 0) return std::nullopt;
  std::uintptr_t word = 0;
  const iovec into{&word, sizeof word};
  const iovec from{reinterpret_cast<void*>(address), sizeof word};
  if (::process_vm_readv(::getpid(), &into, 1, &from, 1, 0) == sizeof word) return word;
  if (errno == EFAULT) return std::nullopt;
  return *reinterpret_cast<const std::uintptr_t*>(address);
}

/// Where OpenCL's loader finds the driver's functions.
std::optional<std::uintptr_t> first_word(const void* object) {
  return word_at(reinterpret_cast<std::uintptr_t>(object));
}

/// Where some drivers keep an object's type, and others a number of its own.
std::optional<std::uintptr_t> second_word(const void* object) {
  return word_at(reinterpret_cast<std::uintptr_t>(object) + sizeof(std::uintptr_t));
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

/// What a driver writes there for queues whatever their properties, and not for a buffer: their
/// type. Nothing where the driver keeps none.
std::optional<std::uintptr_t> learn_queue_type(cl_context context, cl_device_id device) {
  constexpr std::size_t some_bytes = 64;
  cl_int status = CL_SUCCESS;
  const cl::CommandQueue plain(::clCreateCommandQueue(context, device, 0, &status));
  const cl::CommandQueue other(
      ::clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status));
  const cl::Buffer buffer(::clCreateBuffer(context, 0, some_bytes, nullptr, &status));
  if (plain() == nullptr || other() == nullptr || buffer() == nullptr) return std::nullopt;
  const auto type = second_word(plain());
  return type == second_word(other()) && type != second_word(buffer()) ? type : std::nullopt;
}

/// Whether the driver's own mark, where it has one, says that this is a queue. Some drivers answer
/// every question about a queue for any object, from what lies at the queue's places.
bool has_type_of_queue(const void* object, std::uintptr_t driver, cl_context context,
                       cl_device_id device) {
  static std::mutex mutex;
  static NeverDestroyed<std::map<std::uintptr_t, std::optional<std::uintptr_t>>> types;
  // Not waited for: a process that was forked meanwhile would wait for ever.
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) return true;
  auto known = types->find(driver);
  if (known == types->end())
    known = types->emplace(driver, learn_queue_type(context, device)).first;
  return !known->second || second_word(object) == known->second;
}

bool is_device_of(cl_context context, cl_device_id device, std::uintptr_t driver) {
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

}  // namespace

bool is_queue(cl_command_queue queue) {
  const auto driver = first_word(queue);
  if (!driver || !first_word(reinterpret_cast<const void*>(*driver))) return false;
  auto* const context = info_of<cl_context>(queue, CL_QUEUE_CONTEXT);
  auto* device = info_of<cl_device_id>(queue, CL_QUEUE_DEVICE);
  if (first_word(context) != driver || first_word(device) != driver) return false;
  return is_device_of(context, device, *driver) &&
         has_type_of_queue(queue, *driver, context, device);
}

}  // namespace kiln
