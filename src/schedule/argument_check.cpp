#include "schedule/argument_check.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <functional>

namespace kiln {
namespace {

struct ScalarType {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array scalars{
    ScalarType{"char", 1},           ScalarType{"uchar", 1},        ScalarType{"short", 2},
    ScalarType{"ushort", 2},         ScalarType{"int", 4},          ScalarType{"uint", 4},
    ScalarType{"long", 8},           ScalarType{"ulong", 8},        ScalarType{"float", 4},
    ScalarType{"double", 8},         ScalarType{"half", 2},         ScalarType{"unsigned char", 1},
    ScalarType{"unsigned short", 2}, ScalarType{"unsigned int", 4}, ScalarType{"unsigned", 4},
    ScalarType{"unsigned long", 8},  ScalarType{"signed char", 1}};

const char* space_name(cl_uint address) {
  switch (address) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
      return "a __global buffer";
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
      return "a __constant buffer";
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
      return "__local memory";
    default:
      return "a value";
  }
}

struct Given {
  bool fits;
  std::string text;
};

Given describe(const Argument& argument, const KernelArgument& wanted) {
  if (std::holds_alternative<BufferArgument>(argument))
    return {wanted.address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
                wanted.address == CL_KERNEL_ARG_ADDRESS_CONSTANT,
            "a buffer"};
  if (std::holds_alternative<LocalArgument>(argument))
    return {wanted.address == CL_KERNEL_ARG_ADDRESS_LOCAL, "local memory"};
  const auto size = std::get<ScalarArgument>(argument).value.size();
  const auto wanted_size = type_bytes(wanted.type);
  return {
      wanted.address == CL_KERNEL_ARG_ADDRESS_PRIVATE && (wanted_size == 0 || wanted_size == size),
      fmt::format("a value of {} bytes", size)};
}

}  // namespace

std::size_t type_bytes(std::string_view name) {
  while (name.ends_with('*') || name.ends_with(' ')) name.remove_suffix(1);
  for (const auto& scalar : scalars) {
    if (!name.starts_with(scalar.name)) continue;
    const auto rest = name.substr(scalar.name.size());
    if (rest.empty()) return scalar.bytes;
    unsigned lanes = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), lanes);
    if (error != std::errc() || end != rest.data() + rest.size()) continue;
    // A 3-component vector takes the space of 4 (OpenCL C 6.1.5).
    if (lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16)
      return scalar.bytes * (lanes == 3 ? 4 : lanes);
  }
  return 0;
}

Expected<void> check_arguments_match(const KernelInfo& kernel, const Job& job) {
  if (kernel.arguments.size() != job.arguments.size())
    return fail(Errc::bad_input,
                fmt::format("kernel {} takes {} arguments; {} are given", kernel.name,
                            kernel.arguments.size(), job.arguments.size()));
  if (!kernel.has_arguments) return {};
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    const auto& wanted = kernel.arguments[i];
    const Given given = describe(job.arguments[i], wanted);
    if (!given.fits)
      return fail(Errc::bad_input,
                  fmt::format("argument {} of kernel {}: {} is given; the kernel takes {} ({} {})",
                              i, kernel.name, given.text, space_name(wanted.address), wanted.type,
                              wanted.name));
  }
  return {};
}

void take_element_sizes(const KernelInfo& kernel, const SplitSafety& safety, Job& job) {
  constexpr std::size_t largest = 128;  // double16
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    auto* buffer = std::get_if<BufferArgument>(&job.arguments[i]);
    if (buffer == nullptr) continue;
    std::size_t bytes = 0;
    if (kernel.has_arguments && i < kernel.arguments.size())
      bytes = type_bytes(kernel.arguments[i].type);
    if (bytes == 0 && i < safety.parameters.size())
      bytes = type_bytes(safety.parameters[i].element_type);
    buffer->element_bytes = bytes != 0 ? bytes : largest;
  }
}

Expected<void> check_buffers_apart(const Job& job) {
  const auto shared = [](const BufferArgument& a, const BufferArgument& b) {
    const std::less<const std::byte*> before;
    return before(a.data.data(), b.data.data() + b.data.size()) &&
           before(b.data.data(), a.data.data() + a.data.size());
  };
  for (std::size_t i = 0; i < job.arguments.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const auto* a = std::get_if<BufferArgument>(&job.arguments[i]);
      const auto* b = std::get_if<BufferArgument>(&job.arguments[k]);
      if (a == nullptr || b == nullptr || !shared(*a, *b)) continue;
      if (a->access == BufferArgument::Access::in && b->access == BufferArgument::Access::in)
        continue;
      return fail(
          Errc::bad_input,
          fmt::format("arguments {} and {} share memory, and one of them is written", k, i));
    }
  return {};
}

}  // namespace kiln
