#include "kernel/artifact.hpp"

#include "base/cursor.hpp"

namespace kiln {
namespace {

void append_text(Bytes& to, std::string_view text) {
  append_le(to, static_cast<std::uint32_t>(text.size()));
  append(to, text);
}

KernelArgument read_argument(Cursor& in) {
  KernelArgument argument;
  argument.address = in.number<std::uint32_t>("address space");
  argument.access = in.number<std::uint32_t>("access");
  argument.qualifier = in.number<std::uint64_t>("qualifier");
  argument.type = in.text("type");
  argument.name = in.text("argument name");
  return argument;
}

KernelInfo read_kernel(Cursor& in) {
  KernelInfo kernel;
  kernel.name = in.text("kernel name");
  kernel.has_arguments = in.number<std::uint8_t>("has arguments") != 0;
  // The count never decides an allocation: reading stops at the end of the bytes.
  for (auto count = in.number<std::uint32_t>("arguments"); count > 0 && in.ok(); --count)
    kernel.arguments.push_back(read_argument(in));
  return kernel;
}

}  // namespace

Bytes encode(const Artifact& artifact) {
  Bytes bytes;
  append_le(bytes, static_cast<std::uint8_t>(artifact.form));
  append_le(bytes, static_cast<std::uint32_t>(artifact.kernels.size()));
  for (const auto& kernel : artifact.kernels) {
    append_text(bytes, kernel.name);
    append_le(bytes, static_cast<std::uint8_t>(kernel.has_arguments));
    append_le(bytes, static_cast<std::uint32_t>(kernel.arguments.size()));
    for (const auto& argument : kernel.arguments) {
      append_le(bytes, static_cast<std::uint32_t>(argument.address));
      append_le(bytes, static_cast<std::uint32_t>(argument.access));
      append_le(bytes, static_cast<std::uint64_t>(argument.qualifier));
      append_text(bytes, argument.type);
      append_text(bytes, argument.name);
    }
  }
  append_le(bytes, static_cast<std::uint64_t>(artifact.binary.size()));
  append(bytes, artifact.binary);
  return bytes;
}

Expected<Artifact> decode_artifact(ByteView bytes) {
  Cursor in(bytes, "artifact");
  Artifact artifact;
  const auto form = in.number<std::uint8_t>("form");
  if (form != 1 && form != 2) return fail(Errc::corrupt, "artifact: unknown form");
  artifact.form = static_cast<Artifact::Form>(form);
  for (auto count = in.number<std::uint32_t>("kernels"); count > 0 && in.ok(); --count)
    artifact.kernels.push_back(read_kernel(in));
  const ByteView binary = in.take(in.number<std::uint64_t>("binary's size"), "binary");
  in.expect_end();
  if (!in.ok()) return tl::unexpected(in.error());
  artifact.binary.assign(binary.begin(), binary.end());
  return artifact;
}

namespace {

KernelInfo describe(cl::Kernel& kernel) {
  KernelInfo info;
  info.name = kernel.getInfo<CL_KERNEL_FUNCTION_NAME>();
  while (!info.name.empty() && info.name.back() == '\0') info.name.pop_back();
  const cl_uint count = kernel.getInfo<CL_KERNEL_NUM_ARGS>();
  info.arguments.resize(count);
  info.has_arguments = true;
  for (cl_uint i = 0; i < count && info.has_arguments; ++i) {
    auto& argument = info.arguments[i];
    try {
      argument.address = kernel.getArgInfo<CL_KERNEL_ARG_ADDRESS_QUALIFIER>(i);
      argument.access = kernel.getArgInfo<CL_KERNEL_ARG_ACCESS_QUALIFIER>(i);
      argument.qualifier = kernel.getArgInfo<CL_KERNEL_ARG_TYPE_QUALIFIER>(i);
      argument.type = kernel.getArgInfo<CL_KERNEL_ARG_TYPE_NAME>(i).c_str();
      argument.name = kernel.getArgInfo<CL_KERNEL_ARG_NAME>(i).c_str();
    } catch (const cl::Error&) {
      info.has_arguments = false;  // a driver's own binary often holds none of this
    }
  }
  return info;
}

}  // namespace

std::vector<KernelInfo> describe_kernels(const cl::Program& program) {
  try {
    std::vector<KernelInfo> infos;
    std::vector<cl::Kernel> kernels;
    cl::Program handle = program;
    handle.createKernels(&kernels);
    for (auto& kernel : kernels) infos.push_back(describe(kernel));
    return infos;
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

}  // namespace kiln
