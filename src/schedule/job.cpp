#include "schedule/job.hpp"

#include <fmt/format.h>

#include <functional>

#include "kernel/facts/kernel_facts.hpp"

// Whether a Job's arguments fit the compiled kernel.
namespace kiln {
namespace {

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

/// Bytes of argument i's value or element; 0 where neither the driver nor the text says.
std::size_t known_bytes(const KernelInfo& kernel, const std::vector<ParameterUse>& parameters,
                        std::size_t i) {
  std::size_t bytes = 0;
  if (kernel.has_arguments && i < kernel.arguments.size())
    bytes = type_bytes(kernel.arguments[i].type);
  if (bytes == 0 && i < parameters.size()) bytes = parameters[i].layout.bytes;
  return bytes;
}

/// The driver's words for a parameter, or else those of the text: as Given has what was given.
KernelArgument wanted_of(const KernelInfo& kernel, const std::vector<ParameterUse>& parameters,
                         std::size_t i) {
  if (kernel.has_arguments) return kernel.arguments[i];
  KernelArgument wanted;
  if (i >= parameters.size()) return wanted;
  const ParameterUse& use = parameters[i];
  wanted.address = use.is_global           ? CL_KERNEL_ARG_ADDRESS_GLOBAL
                   : use.is_constant_space ? CL_KERNEL_ARG_ADDRESS_CONSTANT
                   : use.is_local          ? CL_KERNEL_ARG_ADDRESS_LOCAL
                                           : CL_KERNEL_ARG_ADDRESS_PRIVATE;
  wanted.type = use.element_type + (use.is_pointer ? "*" : "");
  wanted.name = use.name;
  return wanted;
}

std::string bytes_text(std::size_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

Given describe(const Argument& argument, const KernelArgument& wanted, std::size_t bytes) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
    const bool sized = buffer->elements_are_sized && bytes != 0;
    return {(wanted.address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
             wanted.address == CL_KERNEL_ARG_ADDRESS_CONSTANT) &&
                (!sized || buffer->element_bytes == bytes),
            sized ? "a buffer with elements of " + bytes_text(buffer->element_bytes) : "a buffer"};
  }
  if (std::holds_alternative<LocalArgument>(argument))
    return {wanted.address == CL_KERNEL_ARG_ADDRESS_LOCAL, "local memory"};
  const auto size = std::get<ScalarArgument>(argument).value.size();
  return {wanted.address == CL_KERNEL_ARG_ADDRESS_PRIVATE && (bytes == 0 || bytes == size),
          "a value of " + bytes_text(size)};
}

/// "a value of 16 bytes", "a __global buffer with elements of 4 bytes".
std::string wanted_text(const Argument& given, const KernelArgument& wanted, std::size_t bytes) {
  std::string text = space_name(wanted.address);
  const bool is_value = wanted.address == CL_KERNEL_ARG_ADDRESS_PRIVATE;
  if (bytes != 0 && is_value && std::holds_alternative<ScalarArgument>(given))
    text += " of " + bytes_text(bytes);
  const auto* buffer = std::get_if<BufferArgument>(&given);
  if (bytes != 0 && !is_value && buffer != nullptr && buffer->elements_are_sized)
    text += " with elements of " + bytes_text(bytes);
  return text;
}

}  // namespace

std::size_t type_bytes(std::string_view name) {
  while (name.ends_with('*') || name.ends_with(' ')) name.remove_suffix(1);
  return builtin_layout(name).bytes;
}

Expected<void> check_arguments_match(const KernelInfo& kernel, const Job& job,
                                     const std::vector<ParameterUse>& parameters) {
  if (kernel.arguments.size() != job.arguments.size())
    return fail(Errc::bad_input,
                fmt::format("kernel {} takes {} arguments; {} are given", kernel.name,
                            kernel.arguments.size(), job.arguments.size()));
  // Neither the driver nor the text says which argument is what.
  if (!kernel.has_arguments && parameters.size() != job.arguments.size()) return {};
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    const KernelArgument wanted = wanted_of(kernel, parameters, i);
    const std::size_t bytes = known_bytes(kernel, parameters, i);
    const Given given = describe(job.arguments[i], wanted, bytes);
    if (!given.fits)
      return fail(
          Errc::bad_input,
          fmt::format("argument {} of kernel {}: {} is given; the kernel takes {} ({} {})", i,
                      kernel.name, given.text, wanted_text(job.arguments[i], wanted, bytes),
                      wanted.type, wanted.name));
  }
  return {};
}

Expected<void> check_module_takes(const Job& job) {
  const spirv::Module* module = job.request.source ? job.request.source->module() : nullptr;
  if (module == nullptr) return {};
  const auto kernel = kernel_of(*module, job.kernel, job.request.source->name());
  if (!kernel) return tl::unexpected(kernel.error());
  const auto& parameters = (*kernel)->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].space == spirv::Space::opaque)
      return fail(Errc::unsupported,
                  fmt::format("argument {} of kernel {}: it is of type {}, which is no buffer, "
                              "value or local memory",
                              i, job.kernel, parameters[i].type));
  KernelInfo info;
  info.name = job.kernel;
  info.arguments.resize(parameters.size());
  return check_arguments_match(info, job, module_facts(*module, job.kernel).parameters);
}

void take_element_sizes(const KernelInfo& kernel, const std::vector<ParameterUse>& parameters,
                        Job& job) {
  constexpr std::size_t largest = 128;  // double16
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    auto* buffer = std::get_if<BufferArgument>(&job.arguments[i]);
    if (buffer == nullptr) continue;
    if (const std::size_t bytes = known_bytes(kernel, parameters, i); bytes != 0)
      buffer->element_bytes = bytes;
    if (buffer->element_bytes == 0) buffer->element_bytes = largest;
  }
}

std::string argument_name(const KernelInfo& kernel, const std::vector<ParameterUse>& parameters,
                          std::size_t argument) {
  std::string name;
  if (kernel.has_arguments && argument < kernel.arguments.size())
    name = kernel.arguments[argument].name;
  if (name.empty() && argument < parameters.size()) name = parameters[argument].name;
  return name.empty() ? std::to_string(argument) : fmt::format("{} ({})", argument, name);
}

Expected<void> check_buffers_apart(const Job& job) {
  const auto shared = [](const BufferArgument& a, const BufferArgument& b) {
    const std::less<const std::byte*> before;
    // What is an Array's has no place until the run.
    if (a.data.data() == nullptr || b.data.data() == nullptr) return false;
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

void write_program(CanonicalWriter& writer, const Job& job) {
  writer.text("family", job.request.family)
      .text("options", job.request.options)
      .text("kernel", job.kernel);
  if (job.request.source) writer.digest("source", job.request.source->digest());
}

void write_shape(CanonicalWriter& writer, const Job& job) {
  writer.begin("range");
  for (unsigned d = 0; d < 3; ++d)
    writer.integer("global", static_cast<std::int64_t>(job.range.global[d]))
        .integer("local", static_cast<std::int64_t>(job.range.local[d]));
  writer.end();
  for (const auto& argument : job.arguments) {
    if (const auto* buffer = std::get_if<BufferArgument>(&argument))
      writer.integer("buffer", static_cast<std::int64_t>(buffer->data.size()));
    else if (const auto* local = std::get_if<LocalArgument>(&argument))
      writer.integer("local", static_cast<std::int64_t>(local->bytes));
    else
      writer.bytes("value", std::get<ScalarArgument>(argument).value);
  }
}

}  // namespace kiln
