#include "blas/gemm/gemm_form.hpp"

namespace kiln::blas {
namespace {

/// The major number of an NVIDIA device's architecture; 0 elsewhere
/// (cl_nv_device_attribute_query).
unsigned nvidia_architecture(const Device& device) {
  constexpr cl_device_info compute_capability_major = 0x4000;
  cl_uint major = 0;
  if (device.vendor.find("NVIDIA") == std::string::npos ||
      ::clGetDeviceInfo(device.handle(), compute_capability_major, sizeof major, &major, nullptr) !=
          CL_SUCCESS)
    return 0;
  return major;
}

}  // namespace

std::string gemm_form(const Device& device) {
  if (device.type == Device::Type::cpu) return "cpu";
  const auto has_room_for = [&](std::string_view form) {
    return device.max_work_group_size >= gpu_form(form).threads &&
           device.local_memory >= gpu_form(form).local_memory;
  };
  if (!has_room_for("gpu")) return has_room_for("gpu32") ? "gpu32" : "gpu_small";
  const unsigned architecture = nvidia_architecture(device);
  return architecture >= 9 ? "sm90" : architecture == 8 ? "sm80" : "gpu";
}

}  // namespace kiln::blas
