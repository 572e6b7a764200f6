#include "spec/tune/device_fit.hpp"

#include <fmt/format.h>

#include "kernel/launch.hpp"
#include "spec/run/job.hpp"

namespace kiln::spec {
namespace {

std::uint64_t declared_local_bytes(const BoundSpec& bound) {
  std::uint64_t bytes = 0;
  for (const auto& argument : bound.arguments)
    if (argument.kind == ArgumentKind::local) bytes += argument.bytes;
  return bytes;
}

Expected<void> check_local_memory(std::uint64_t bytes, const Device& device) {
  if (bytes <= device.local_memory) return {};
  return fail(Errc::unsupported,
              fmt::format("found {} bytes of local memory a work-group, expected at most {}, what "
                          "{} has",
                          bytes, device.local_memory, device.name));
}

}  // namespace

Expected<void> check_device_fit(const BoundSpec& bound, const Device& device) {
  if (auto fits = check_range(range_of(bound), device); !fits) return fits;
  if (auto fits = check_local_memory(declared_local_bytes(bound), device); !fits) return fits;
  std::uint64_t sum = 0;
  for (const auto& argument : bound.arguments) {
    if (!argument.is_buffer()) continue;
    sum += argument.bytes;
    if (argument.bytes > device.max_allocation)
      return fail(
          Errc::unsupported,
          fmt::format("argument {}: found {} bytes, expected at most {}, what {} allows",
                      argument.position, argument.bytes, device.max_allocation, device.name));
  }
  if (sum <= device.global_memory) return {};
  return fail(Errc::unsupported,
              fmt::format("found buffers of {} bytes together, expected at most {}, what {} has",
                          sum, device.global_memory, device.name));
}

Expected<void> check_kernel_fit(const BoundSpec& bound, const Program& program,
                                const std::string& kernel) {
  const Device& device = *program.device();
  static_cast<void>(program.kernel(kernel));  // throws, naming the kernels that the source has
  try {
    const cl::Kernel compiled(program.cl(), kernel.c_str());
    const auto most = compiled.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device.handle);
    std::size_t group = 1;  // at most the device's own, which check_device_fit has asked for
    for (const auto size : bound.local) group *= size;
    if (group > most)
      return fail(Errc::unsupported,
                  fmt::format("found work-groups of {} work-items, expected at most {}, what {} "
                              "allows this kernel",
                              group, most, device.name));
    // Arguments that are not set yet count for nothing in the driver's answer.
    const auto own = compiled.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device.handle);
    return check_local_memory(own + declared_local_bytes(bound), device);
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

}  // namespace kiln::spec
