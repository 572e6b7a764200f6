#include "kernel/launch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln {

Launch::Launch(ContextPtr context, Program& program, const std::string& kernel)
    : context_(std::move(context)), program_(&program), info_(program.kernel(kernel)) {
  try {
    kernel_ = cl::Kernel(program.cl(), kernel.c_str());
    handle_ = kernel_();
  } catch (const cl::Error& error) {
    throw cl_error(error);
  }
}

void Launch::check_argument(unsigned position, cl_int status) const {
  if (status == CL_SUCCESS) return;
  const auto& arguments = info_.arguments;
  const std::string type =
      position < arguments.size() && info_.has_arguments
          ? fmt::format(" ({} {})", arguments[position].type, arguments[position].name)
          : "";
  const bool wrong = status == CL_INVALID_ARG_INDEX || status == CL_INVALID_ARG_VALUE ||
                     status == CL_INVALID_ARG_SIZE || status == CL_INVALID_MEM_OBJECT ||
                     status == CL_INVALID_SAMPLER;
  throw Error(
      wrong ? Errc::bad_input : Errc::device,
      fmt::format("argument {}{} of {}: {}", position, type, info_.name, cl_status_name(status)));
}

void Launch::set_scalar(unsigned position, ByteView value) {
  check_argument(position, ::clSetKernelArg(handle_, position, value.size(), value.data()));
}
void Launch::set_memory(unsigned position, cl_mem memory) {
  check_argument(position, ::clSetKernelArg(handle_, position, sizeof memory, &memory));
}
void Launch::set_local(unsigned position, std::size_t bytes) {
  check_argument(position, ::clSetKernelArg(handle_, position, bytes, nullptr));
}

void Launch::set_range(const NDRange& range) {
  value_or_throw(check_range(range, *program_->device()));
  program_->prepare(variant_of(info_.name, range));
  range_ = range;
  has_offset_ = std::any_of(range.offset.begin(), range.offset.end(),
                            [](std::size_t value) { return value != 0; });
}

void Launch::throw_enqueue(cl_int status) const {
  const auto& g = range_.global;
  const auto& l = range_.local;
  throw Error(Errc::device,
              fmt::format("launching {} on {} with global size {}x{}x{}, local {}x{}x{}: {} ({})",
                          info_.name, program_->device()->name, g[0], g[1], g[2], l[0], l[1], l[2],
                          cl_status_name(status), status));
}

Expected<void> check_range(const NDRange& range, const Device& device) {
  std::size_t group = 1;
  for (unsigned d = 0; d < 3; ++d) {
    const std::size_t global = range.global[d], local = range.local[d];
    if (global == 0 || local == 0)
      return fail(Errc::bad_input, fmt::format("the NDRange is empty in dimension {}", d));
    if (global % local != 0)
      return fail(Errc::bad_input,
                  fmt::format("local size {} does not divide global size {} in dimension {}", local,
                              global, d));
    if (d < device.max_work_item_sizes.size() && local > device.max_work_item_sizes[d])
      return fail(Errc::bad_input,
                  fmt::format("local size {} in dimension {} is above {}, what {} allows", local, d,
                              device.max_work_item_sizes[d], device.name));
    if (local > device.max_work_group_size / group)
      return fail(
          Errc::bad_input,
          fmt::format("a work-group of {}x{}x{} is above {}, what {} allows", range.local[0],
                      range.local[1], range.local[2], device.max_work_group_size, device.name));
    group *= local;
  }
  return {};
}

}  // namespace kiln
