#pragma once

#include <string>

#include "device/device.hpp"
#include "kernel/apart/job.hpp"

namespace kiln::apart {

/// The device that the library means; in the helper there may be others. Throws kiln::Error.
DevicePtr find_device(const std::string& fingerprint);

/// The job's program, from its text or its archive, not yet built. Throws cl::Error.
cl::Program create_program(const cl::Context& context, const cl::Device& device, const Job& job);

}  // namespace kiln::apart
