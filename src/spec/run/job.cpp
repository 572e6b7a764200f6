#include "spec/run/job.hpp"

#include <fmt/format.h>

#include <climits>
#include <system_error>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "spec/run/program_check.hpp"

// From a bound specification to a Job: the source file is found and read, the Request made, the
// arguments put over the arrays; and their types are held against the compiled kernel.
namespace kiln::spec {

namespace fs = std::filesystem;

// The two folders are the published layouts: specifications in info/, sources in a folder next to
// it. Paths are normalised so that messages, and what is stored about a program, do not contain
// `info/..`.
Expected<fs::path> source_place(const Spec& spec, const std::vector<fs::path>& source_dirs) {
  if (spec.src.size() > PATH_MAX)
    return fail(Errc::not_found, "found a path of " + std::to_string(spec.src.size()) +
                                     " characters, expected at most " + std::to_string(PATH_MAX));
  const fs::path folder = folder_of_input(spec.file);
  std::vector<fs::path> places = {folder, folder / ".." / "kernel_src", folder / ".." / "kernels"};
  places.insert(places.end(), source_dirs.begin(), source_dirs.end());
  std::string tried, other;
  for (const auto& place : places) {
    const fs::path candidate = (place / spec.src).lexically_normal();
    std::error_code error;  // a place that cannot be looked at does not hold the file
    const auto type = fs::status(candidate, error).type();
    if (type == fs::file_type::regular) return candidate;
    const bool is_loop = error == std::errc::too_many_symbolic_link_levels;
    const bool is_there = type != fs::file_type::none && type != fs::file_type::not_found;
    if (other.empty() && (is_there || is_loop))
      other = candidate.string() + (is_loop ? ", a loop of symbolic links" : "");
    tried += (tried.empty() ? "" : ", ") + candidate.string();
    if (fs::path(spec.src).is_absolute()) break;
  }
  if (!other.empty())
    return fail(Errc::bad_input, fmt::format("found {}, expected a regular file", one_line(other)));
  return fail(Errc::not_found,
              "missing file \"" + spec.src + "\"; tried " + tried + "; --source-dir adds a folder");
}

Expected<fs::path> find_source(const Spec& spec, const std::vector<fs::path>& source_dirs) {
  auto found = source_place(spec, source_dirs);
  if (found) return found;
  return fail(found.error().code(), (spec.file.empty() ? "" : spec.file + ": ") +
                                        "attribute 'src': " + found.error().message());
}

Expected<SourcePtr> load_kernel_source(const Spec& spec,
                                       const std::vector<std::filesystem::path>& source_dirs) {
  const auto file = find_source(spec, source_dirs);
  if (!file) return tl::unexpected(file.error());
  std::vector<std::filesystem::path> folders{file->parent_path()};
  folders.insert(folders.end(), source_dirs.begin(), source_dirs.end());
  return load_source(*file, folders);
}

Expected<void> check_source_stays(const ExpandedSource& source,
                                  const std::vector<std::filesystem::path>& written) {
  std::error_code error;
  for (const auto& file : written)
    for (const auto& read : source.files())
      if (std::filesystem::equivalent(file, read, error))
        return fail(Errc::bad_input,
                    fmt::format("{} is the kernel's source and would be written over; expected "
                                "another file to write",
                                one_line(file.string())));
  return {};
}

NDRange range_of(const BoundSpec& bound) {
  NDRange range;
  range.dimensions = static_cast<unsigned>(bound.global.size());
  for (std::size_t d = 0; d < bound.global.size(); ++d) {
    range.global[d] = bound.global[d];
    range.local[d] = bound.local[d];
  }
  return range;
}

namespace {

Argument make_argument(const BoundArgument& bound, std::span<std::byte> data) {
  if (bound.kind == ArgumentKind::scalar) return ScalarArgument{bound.value};
  if (bound.kind == ArgumentKind::local) return kiln::LocalArgument{bound.bytes};
  BufferArgument buffer;
  buffer.access = bound.kind == ArgumentKind::input    ? BufferArgument::Access::in
                  : bound.kind == ArgumentKind::output ? BufferArgument::Access::out
                                                       : BufferArgument::Access::inout;
  buffer.data = data;
  // Bytes say nothing of what the kernel takes them for.
  buffer.element_bytes = bound.type.bytes() > 1 ? bound.type.bytes() : 0;
  buffer.elements_are_sized = bound.type.is_struct();
  buffer.may_slice = bound.sliceable;
  return buffer;
}

}  // namespace

Expected<Request> make_request(const Spec& spec, const BoundSpec& bound, SourcePtr source) {
  Request request;
  request.family = "source";
  request.label = spec.name;
  // Of OpenCL C there are none: then this says whether the file is right about that.
  auto constants = settings_of(spec, bound, *source);
  if (!constants) return tl::unexpected(constants.error());
  if (source->module() != nullptr) {
    request.constants = *std::move(constants);
    // Tuned values are macros, too, and a module takes none.
    auto options = build_options({}, bound.options);
    if (!options) return tl::unexpected(options.error());
    request.options = *std::move(options);
    request.source = std::move(source);
    return request;
  }
  if (auto set = set_source(request, std::move(source), bound.macros, bound.options); !set)
    return fail(set.error().code(), spec.file + ": macros_values: " + set.error().message());
  return request;
}

namespace {

template <class DataOf>
Expected<Job> job_with(const Spec& spec, const BoundSpec& bound, SourcePtr source,
                       DataOf&& data_of) {
  Job job;
  auto request = make_request(spec, bound, std::move(source));
  if (!request) return tl::unexpected(request.error());
  job.request = std::move(*request);
  job.kernel = spec.name;
  job.range = range_of(bound);
  for (const auto& argument : bound.arguments) {
    job.arguments.push_back(
        make_argument(argument, argument.is_buffer() ? data_of(argument) : std::span<std::byte>()));
    job.names.push_back(std::to_string(argument.position));
  }
  return job;
}

}  // namespace

Expected<Job> make_job(const Spec& spec, const BoundSpec& bound, SourcePtr source, Arrays& arrays) {
  return job_with(spec, bound, std::move(source), [&](const BoundArgument& argument) {
    return arrays.at(argument.position).span();
  });
}

Expected<Job> make_job(const Spec& spec, const BoundSpec& bound, SourcePtr source) {
  return job_with(spec, bound, std::move(source), [](const BoundArgument& argument) {
    return std::span(static_cast<std::byte*>(nullptr), argument.bytes);
  });
}

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
  Program& program = resolver.resolve(job.request, queue.context(), queue.device(), {});
  const auto parameters = resolver.facts(job.request, program, job.kernel).parameters;
  value_or_throw(check_argument_types(bound, program.kernel(job.kernel), parameters));
}

}  // namespace kiln::spec
