#include "kernel/program/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace kiln {

Launch::Launch(ContextPtr context, Program& program, const std::string& kernel)
    : context_(std::move(context)), program_(&program), info_(program.kernel(kernel)) {
  with_cl_errors([&] {
    kernel_ = cl::Kernel(program.cl(), kernel.c_str());
    handle_ = kernel_();
    limits_ = limits_of(handle_, program.device()->handle());
    // PoCL 6 answers 0, and ends the process where there is too little.
    limits_.own_local_bytes = std::max(limits_.own_local_bytes, program.own_local_bytes(kernel));
  });
  check_local_memory(locals_);
}

Launch::Limits Launch::limits_of(cl_kernel kernel, cl_device_id device) {
  Limits limits;
  const auto ask = [&](cl_kernel_work_group_info what, auto& answer) {
    auto got = answer;
    if (::clGetKernelWorkGroupInfo(kernel, device, what, sizeof got, &got, nullptr) == CL_SUCCESS)
      answer = got;
  };
  ask(CL_KERNEL_LOCAL_MEM_SIZE, limits.own_local_bytes);
  ask(CL_KERNEL_WORK_GROUP_SIZE, limits.work_items);
  // NVIDIA's driver says 256 of a kernel that was made for work-groups of 384, and runs.
  std::array<std::size_t, 3> made_for{};
  ask(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, made_for);
  limits.work_items = std::max(limits.work_items, made_for[0] * made_for[1] * made_for[2]);
  return limits;
}

std::string Launch::describe_argument(unsigned position) const {
  const auto& arguments = info_.arguments;
  const bool known = position < arguments.size() && info_.has_arguments;
  return fmt::format(
      "argument {}{} of {}", position,
      known ? fmt::format(" ({} {})", arguments[position].type, arguments[position].name) : "",
      info_.name);
}

void Launch::check_argument(unsigned position, cl_int status) const {
  if (status == CL_SUCCESS) return;
  const bool wrong = status == CL_INVALID_ARG_INDEX || status == CL_INVALID_ARG_VALUE ||
                     status == CL_INVALID_ARG_SIZE || status == CL_INVALID_MEM_OBJECT ||
                     status == CL_INVALID_SAMPLER;
  throw Error(wrong ? Errc::bad_input : Errc::device,
              fmt::format("{}: {}", describe_argument(position), cl_status_name(status)));
}

void Launch::set_scalar(unsigned position, ByteView value) {
  check_argument(position, ::clSetKernelArg(handle_, position, value.size(), value.data()));
}
void Launch::set_memory(unsigned position, cl_mem memory) {
  check_argument(position, ::clSetKernelArg(handle_, position, sizeof memory, &memory));
}
void Launch::set_local(unsigned position, std::size_t bytes) {
  if (bytes == 0)
    throw Error(Errc::bad_input,
                fmt::format("{}: found 0 bytes of local memory, expected 1 or more",
                            describe_argument(position)));
  // What is refused is not remembered: the driver has never got it.
  auto locals = locals_;
  const auto known = std::find_if(locals.begin(), locals.end(),
                                  [&](const auto& local) { return local.position == position; });
  if (known == locals.end())
    locals.push_back({position, bytes});
  else
    known->bytes = bytes;
  check_local_memory(locals);
  check_argument(position, ::clSetKernelArg(handle_, position, bytes, nullptr));
  locals_ = std::move(locals);
}

void Launch::check_local_memory(const std::vector<LocalBytes>& locals) const {
  const Device& device = *program_->device();
  const cl_ulong most = device.local_memory;
  // What a kernel alone has by assembly behind marks (marked_assembly.hpp) may be more than OpenCL
  // tells of. NVIDIA's driver has held it against what the device has when it built the program,
  // as it does with what the source declares.
  if (locals.empty() && device.vendor.find("NVIDIA") != std::string::npos) return;
  cl_ulong left = most;
  const auto take = [&](cl_ulong bytes) {
    // PoCL begins each part at a multiple of this.
    constexpr cl_ulong alignment = 128;
    const cl_ulong rest = device.pocl ? (alignment - bytes % alignment) % alignment : 0;
    if (bytes > left) return false;
    left -= std::min(bytes + rest, left);
    return true;
  };
  bool fits = true;
  std::string parts;
  for (const auto& [position, bytes] : locals) {
    fits = take(bytes) && fits;
    parts += fmt::format("{}{} bytes for argument {}", parts.empty() ? "" : ", ", bytes, position);
  }
  // NVIDIA's driver counts 16 bytes more than the kernel declares: 49,168 where 49,152 run.
  const cl_ulong uncounted = device.pocl ? 0 : 16;
  fits = take(limits_.own_local_bytes - std::min(limits_.own_local_bytes, uncounted)) && fits;
  if (fits) return;
  throw Error(Errc::bad_input,
              fmt::format("{} needs more local memory than the {} bytes of {}: {}{}{} bytes of its "
                          "own",
                          info_.name, most, device.name, parts, parts.empty() ? "" : ", ",
                          limits_.own_local_bytes));
}

void Launch::check_work_group(const NDRange& range) const {
  const auto& l = range.local;
  if (limits_.work_items != 0 && l[0] * l[1] * l[2] > limits_.work_items)
    throw Error(
        Errc::bad_input,
        fmt::format("a work-group of {} is above {}, what {} allows for {}", fmt::join(l, "x"),
                    limits_.work_items, program_->device()->name, info_.name));
}

void Launch::set_range(const NDRange& range) {
  value_or_throw(check_range(range, *program_->device()));
  check_work_group(range);
  program_->prepare(variant_of(info_.name, range));
  range_ = range;
  has_offset_ = std::any_of(range.offset.begin(), range.offset.end(),
                            [](std::size_t value) { return value != 0; });
}

void Launch::throw_enqueue(cl_int status) const {
  throw Error(Errc::device,
              fmt::format("launching {} on {} with global size {}, local {}: {} ({})", info_.name,
                          program_->device()->name, fmt::join(range_.global, "x"),
                          fmt::join(range_.local, "x"), cl_status_name(status), status));
}

namespace {

/// The number of all work-groups and the last global ids.
Expected<void> check_grid(const NDRange& range, const Device& device) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  // PoCL counts work-groups in 32 bits; elsewhere launches of more are right.
  const std::size_t most = device.pocl ? std::numeric_limits<std::uint32_t>::max() : largest;
  const std::size_t last_id =
      device.address_bits == 32 ? std::numeric_limits<std::uint32_t>::max() : largest;
  std::size_t groups = 1;
  for (unsigned d = 0; d < 3; ++d) {
    const std::size_t along = range.global[d] / range.local[d];
    if (along > most / groups)
      return fail(Errc::bad_input,
                  fmt::format("a grid of {}x{}x{} work-groups is above {} in all, "
                              "what {} allows",
                              range.global[0] / range.local[0], range.global[1] / range.local[1],
                              range.global[2] / range.local[2], most, device.name));
    groups *= along;
    const std::size_t last = range.global[d] - 1;
    if (last > last_id || range.offset[d] > last_id - last)
      return fail(Errc::bad_input,
                  fmt::format("global size {} from offset {} in dimension {} ends above {}, the "
                              "last global id of {}",
                              range.global[d], range.offset[d], d, last_id, device.name));
  }
  return {};
}

}  // namespace

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
      return fail(Errc::bad_input, fmt::format("a work-group of {} is above {}, what {} allows",
                                               fmt::join(range.local, "x"),
                                               device.max_work_group_size, device.name));
    group *= local;
  }
  return check_grid(range, device);
}

}  // namespace kiln
