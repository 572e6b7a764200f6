#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "base/lifetime.hpp"
#include "layer/measure/report.hpp"
#include "layer/measure/state.hpp"

// The library that measures: its way in, and what it counts. Loaded by libkiln-layer.so where the
// environment asks for it.
namespace kiln::layer::measure {

const cl_icd_dispatch* under = nullptr;

namespace {

std::atomic<bool> forked{false};

std::string device_text(cl_device_id device, cl_device_info what) {
  char text[1024] = "";
  std::size_t bytes = 0;
  if (under->clGetDeviceInfo(device, what, sizeof text, text, &bytes) != CL_SUCCESS) return {};
  text[sizeof text - 1] = '\0';
  return text;
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  char text[1024] = "";
  if (under->clGetPlatformInfo(platform, what, sizeof text, text, nullptr) != CL_SUCCESS) return {};
  text[sizeof text - 1] = '\0';
  return text;
}

template <class T>
T device_value(cl_device_id device, cl_device_info what) {
  T value{};
  (void)under->clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
  return value;
}

const char* type_name(cl_device_type type) noexcept {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return "cpu";
  return (type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? "accelerator" : "other";
}

void describe(Device& device) {
  const cl_device_id handle = device.handle;
  const auto platform = device_value<cl_platform_id>(handle, CL_DEVICE_PLATFORM);
  device.name = device_text(handle, CL_DEVICE_NAME);
  device.vendor = device_text(handle, CL_DEVICE_VENDOR);
  device.version = device_text(handle, CL_DEVICE_VERSION);
  device.driver_version = device_text(handle, CL_DRIVER_VERSION);
  device.platform = platform_text(platform, CL_PLATFORM_NAME);
  device.platform_version = platform_text(platform, CL_PLATFORM_VERSION);
  device.type = type_name(device_value<cl_device_type>(handle, CL_DEVICE_TYPE));
  device.compute_units = device_value<cl_uint>(handle, CL_DEVICE_MAX_COMPUTE_UNITS);
  device.clock_mhz = device_value<cl_uint>(handle, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  device.is_part = device_value<cl_device_id>(handle, CL_DEVICE_PARENT_DEVICE) != nullptr;
}

/// Wraps the functions of `table`, whose own ones are called by way of `below`. Called again where
/// the loader was closed and opened: then there are other functions, and all that is counted stays.
bool start(const cl_icd_dispatch* below, cl_icd_dispatch* table) noexcept {
  const char* folder = setting("KILN_LAYER_PROFILE");
  if (folder == nullptr && setting("KILN_LAYER_TUNE") == nullptr) return false;
  static std::atomic<bool> is_open{false};
  if (!is_open.load(std::memory_order_acquire)) {
    if (folder != nullptr && !open_report(folder, setting("KILN_LAYER_TRACE") != nullptr))
      return false;
    ::pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
    is_open.store(true, std::memory_order_release);
  }
  under = below;
  add_queue_functions(*table);
  // Whoever chooses local sizes needs the queues' time stamps, and nothing else of this.
  if (folder == nullptr) return true;
  add_kernel_functions(*table);
  add_memory_functions(*table);
  add_transfer_functions(*table);
  add_image_transfer_functions(*table);
  add_program_functions(*table);
  return true;
}

/// When the process ends in good order. OpenCL may be gone by now: nothing of it is called. What
/// the program does later is written when it releases its contexts.
__attribute__((destructor)) void end_of_process() noexcept {
  if (under != nullptr && !is_child()) report_now(End::yes);
}

}  // namespace

bool is_child() noexcept { return forked.load(std::memory_order_relaxed); }

Books& books() {
  static NeverDestroyed<Books> all;
  return *all;
}

Device& Books::device_of(cl_device_id handle) {
  const std::lock_guard lock(mutex);
  for (Device& device : devices)
    if (device.handle == handle) return device;
  Device& device = devices.emplace_back();
  device.handle = handle;
  device.number = static_cast<int>(devices.size()) - 1;
  for (std::size_t kind = 0; kind < transfers; ++kind) {
    device.transfer[kind].device = device.number;
    device.transfer[kind].name = transfer_names[kind];
  }
  describe(device);
  return device;
}

Series& Books::kernel(const std::string& name, const Program& program, int device) {
  const std::string key =
      std::to_string(program.number) + ' ' + std::to_string(device) + ' ' + name;
  const std::lock_guard lock(mutex);
  Series*& known = kernel_by_name[key];
  if (known == nullptr) {
    known = &kernels.emplace_back();
    known->number = static_cast<int>(kernels.size()) - 1;
    known->name = name;
    known->program = program.number;
    known->device = device;
  }
  return *known;
}

}  // namespace kiln::layer::measure

extern "C" __attribute__((visibility("default"))) bool kiln_layer_measure(
    std::uint32_t version, const cl_icd_dispatch* below, cl_icd_dispatch* table) {
  if (version != kiln::layer::measure_version || below == nullptr || table == nullptr) return false;
  return kiln::layer::measure::start(below, table);
}
