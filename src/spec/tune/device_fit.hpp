#pragma once

#include "device/device.hpp"
#include "kernel/program.hpp"
#include "kiln/spec.hpp"

namespace kiln::spec {

/// Whether a device can launch a bound spec, as far as that shows before anything is compiled: the
/// work-group's shape, the local memory that the file declares, the buffers. The error says which
/// bound is broken.
Expected<void> check_device_fit(const BoundSpec& bound, const Device& device);

/// The same of the compiled kernel: the work-group that its registers allow, and its own local
/// memory besides the file's. Throws kiln::Error where the driver does not answer.
Expected<void> check_kernel_fit(const BoundSpec& bound, const Program& program,
                                const std::string& kernel);

}  // namespace kiln::spec
