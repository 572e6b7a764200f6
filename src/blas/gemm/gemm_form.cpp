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
  const unsigned architecture = nvidia_architecture(device);
  return architecture >= 9 ? "sm90" : architecture == 8 ? "sm80" : "gpu";
}

}  // namespace kiln::blas
