#pragma once

#include <string>
#include <string_view>

#include "device/device.hpp"

namespace kiln::blas {

/// Which form of the product a device runs: a fact of GemmGenerator. By the device's type, its
/// local memory and the work-items that its work-groups may have.
std::string gemm_form(const Device& device);
constexpr bool is_cpu_form(std::string_view form) { return form == "cpu"; }

/// What the kernels of a form for GPUs take of a device.
struct GpuForm {
  std::size_t threads;       ///< work-items of a work-group
  std::size_t local_memory;  ///< bytes, at most
};
constexpr GpuForm gpu_form(std::string_view form) {
  if (form == "gpu_small") return {64, 20 << 10};
  // What the device itself may take of local memory is left to it where there is little.
  return {256, std::size_t{form == "gpu32" ? 31u : 48u} << 10};
}

}  // namespace kiln::blas
