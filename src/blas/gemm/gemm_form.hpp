#pragma once

#include <string>

#include "device/device.hpp"

namespace kiln::blas {

/// Which form of the product a device runs: a fact of GemmGenerator.
std::string gemm_form(const Device& device);
constexpr bool is_cpu_form(std::string_view form) { return form == "cpu"; }

/// Work-items of a work-group of the forms for GPUs.
constexpr std::size_t gemm_threads = 256;

}  // namespace kiln::blas
