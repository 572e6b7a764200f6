#include "kernel/program/intermediate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/data/bytes.hpp"

namespace kiln {
namespace {

using CreateWithIL = cl_program(CL_API_CALL*)(cl_context, const void*, std::size_t, cl_int*);

/// "OpenCL 2.1 …" and later ones: clCreateProgramWithIL is a part of it.
bool is_in_standard(const std::string& version) {
  constexpr std::string_view prefix = "OpenCL ";
  if (!version.starts_with(prefix) || version.size() < prefix.size() + 3) return false;
  return version.compare(prefix.size(), 3, "2.1") >= 0;
}

CreateWithIL function_of(const cl::Device& device) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  // A loader passes the call on by the platform's own table, which has it from 2.1 on.
  if (is_in_standard(device.getInfo<CL_DEVICE_VERSION>()) &&
      is_in_standard(platform.getInfo<CL_PLATFORM_VERSION>()))
    return ::clCreateProgramWithIL;
  return reinterpret_cast<CreateWithIL>(
      ::clGetExtensionFunctionAddressForPlatform(platform(), "clCreateProgramWithILKHR"));
}

cl::Program create_with_il(const cl::Context& context, const cl::Device& device,
                           const std::string& module) {
  const CreateWithIL create = function_of(device);
  cl_int status = CL_INVALID_OPERATION;
  cl_program program = nullptr;
  if (create != nullptr) program = create(context(), module.data(), module.size(), &status);
  if (program == nullptr || status != CL_SUCCESS) throw cl::Error(status, "clCreateProgramWithIL");
  return cl::Program(program);
}

}  // namespace

Expected<void> takes_module(const Device& device, const spirv::Module& module,
                            const std::string& name) {
  const std::string what = fmt::format("{} is SPIR-V {}.{} for {}-bit devices", name, module.major,
                                       module.minor, module.address_bits);
  if (device.il_versions.find("SPIR-V") == std::string::npos)
    return fail(Errc::unsupported,
                fmt::format("{}; {} ({}, driver {}) takes no SPIR-V, only OpenCL C", what,
                            device.name, device.platform_name, device.driver_version));
  if (module.address_bits != device.address_bits)
    return fail(Errc::unsupported,
                fmt::format("{}; {} has {}-bit addresses", what, device.name, device.address_bits));
  // What a device announces is no bound in practice: PoCL 6 says 1.2 and takes 1.4.
  return {};
}

cl::Program create_program(const cl::Context& context, const cl::Device& device,
                           const std::string& text) {
  if (spirv::is_module(as_bytes(text))) return create_with_il(context, device, text);
  return cl::Program(context, text, false);
}

}  // namespace kiln
