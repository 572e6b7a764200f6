#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "device/device.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// One argument of a compiled kernel, as clGetKernelArgInfo tells it.
struct KernelArgument {
  cl_uint address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_uint access = CL_KERNEL_ARG_ACCESS_NONE;
  cl_ulong qualifier = 0;
  std::string type;  ///< "float*", "int"
  std::string name;
  bool is_pointer() const { return address != CL_KERNEL_ARG_ADDRESS_PRIVATE; }
};

/// A kernel of a program. `has_arguments` is false where the driver tells nothing about them.
struct KernelInfo {
  std::string name;
  bool has_arguments = false;
  std::vector<KernelArgument> arguments;
};

/// What starts a program without a compiler.
struct Artifact {
  enum class Form : std::uint8_t {
    pocl_archive = 1,  ///< grows: holds a set of local-size variants
    driver_binary = 2  ///< what CL_PROGRAM_BINARIES gave: PTX (which the driver still assembles)
  };
  Form form = Form::driver_binary;
  std::vector<KernelInfo> kernels;
  Bytes binary;
};

/// The stored form: u8 form, then kernels and binary with u32/u64 lengths, little endian.
constexpr std::uint32_t artifact_schema = 1;
Bytes encode(const Artifact& artifact);
/// Every length is checked; nothing may be left over.
Expected<Artifact> decode_artifact(ByteView bytes);

/// Asks a built program about its kernels. Throws kiln::Error.
std::vector<KernelInfo> describe_kernels(const cl::Program& program);

}  // namespace kiln
