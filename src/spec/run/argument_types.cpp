#include "spec/run/argument_types.hpp"

#include <fmt/format.h>

#include "schedule/proof.hpp"

namespace kiln::spec {
namespace {

/// "const float4*" as drivers spell it: without qualifiers, with the lanes at the end.
std::optional<Type> type_of(std::string_view name) {
  while (name.ends_with('*') || name.ends_with(' ')) name.remove_suffix(1);
  const auto type = Type::parse(name);
  return type ? std::optional(*type) : std::nullopt;
}

bool is_floating(const Type& type) { return type.kind() == ScalarKind::floating; }

bool same_scalar(const Type& a, const Type& b) {
  return a.scalar_bytes() == b.scalar_bytes() && is_floating(a) == is_floating(b);
}

bool is_opaque(std::string_view type) {
  return type.starts_with("image") || type.starts_with("sampler") || type.starts_with("pipe");
}

bool is_read_only(const KernelArgument& argument) {
  return argument.address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
         (argument.qualifier & CL_KERNEL_ARG_TYPE_CONST) != 0;
}

Error mismatch(const BoundArgument& given, const KernelInfo& kernel, const KernelArgument& wanted,
               const std::string& found) {
  return {Errc::bad_input,
          fmt::format("argument {} of kernel {}: found {}, expected {} {}", given.position,
                      kernel.name, found, wanted.type, wanted.name)};
}

Expected<void> check_one(const BoundArgument& given, const KernelInfo& kernel,
                         const KernelArgument& wanted, std::string_view resolved) {
  if (is_opaque(wanted.type))
    return fail(Errc::unsupported,
                fmt::format("argument {} of kernel {}: it is of type {}, which specification files "
                            "cannot describe",
                            given.position, kernel.name, wanted.type));
  if (given.kind == ArgumentKind::local) return {};  // bytes without a meaning of their own
  if (given.kind == ArgumentKind::output && is_read_only(wanted))
    return fail(Errc::bad_input,
                fmt::format("argument {} of kernel {}: found an output, expected an input: the "
                            "kernel only reads it (const {} {})",
                            given.position, kernel.name, wanted.type, wanted.name));
  auto type = type_of(wanted.type);
  if (!type && !resolved.empty()) type = type_of(resolved);
  // A structure of the right size may stand for a vector.
  if (!type || given.type.is_struct() || same_scalar(*type, given.type)) return {};
  return tl::unexpected(
      mismatch(given, kernel, wanted,
               fmt::format("{} of type {}", given.is_buffer() ? "a buffer" : "a value",
                           given.type.opencl_name())));
}

}  // namespace

Expected<void> check_argument_types(const BoundSpec& bound, const KernelInfo& kernel,
                                    const std::vector<ParameterUse>& parameters) {
  if (!kernel.has_arguments) return {};
  for (const auto& argument : bound.arguments) {
    if (argument.position >= kernel.arguments.size()) break;  // their number is checked elsewhere
    const std::string_view resolved = argument.position < parameters.size()
                                          ? parameters[argument.position].layout.name
                                          : std::string_view();
    if (auto fits = check_one(argument, kernel, kernel.arguments[argument.position], resolved);
        !fits)
      return fits;
  }
  return {};
}

void check_job_types(const BoundSpec& bound, const Job& job, Resolver& resolver,
                     const Queue& queue) {
  const Program& program = resolver.resolve(job.request, queue.context(), queue.device(), {});
  value_or_throw(check_argument_types(bound, program.kernel(job.kernel), parameters_of(job)));
}

}  // namespace kiln::spec
