#pragma once

#include <string>

#include "device/device.hpp"
#include "kiln/formats/spirv.hpp"

// Programs in SPIR-V: which devices take them, and how they are created.
namespace kiln {

/// Whether a device takes a module; `name` is what messages call it. Error: unsupported, which
/// names the device and what it takes.
Expected<void> takes_module(const Device& device, const spirv::Module& module,
                            const std::string& name);

/// A program that is not built yet, of OpenCL C or of a SPIR-V module's bytes (known by their first
/// word): by clCreateProgramWithIL of OpenCL 2.1, else by that of cl_khr_il_program. Throws
/// cl::Error.
cl::Program create_program(const cl::Context& context, const cl::Device& device,
                           const std::string& text);

}  // namespace kiln
