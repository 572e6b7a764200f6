#include "spec/run/job.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace kiln::spec {

Expected<SourcePtr> load_kernel_source(const Spec& spec,
                                       const std::vector<std::filesystem::path>& source_dirs) {
  const auto file = find_source(spec, source_dirs);
  if (!file) return tl::unexpected(file.error());
  std::vector<std::filesystem::path> folders{file->parent_path()};
  folders.insert(folders.end(), source_dirs.begin(), source_dirs.end());
  return load_source(*file, folders);
}

Expected<void> check_source_stays(const Source& source,
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

Argument make_argument(const BoundArgument& bound, Arrays& arrays) {
  if (bound.kind == ArgumentKind::scalar) return ScalarArgument{bound.value};
  if (bound.kind == ArgumentKind::local) return kiln::LocalArgument{bound.bytes};
  BufferArgument buffer;
  buffer.access = bound.kind == ArgumentKind::input    ? BufferArgument::Access::in
                  : bound.kind == ArgumentKind::output ? BufferArgument::Access::out
                                                       : BufferArgument::Access::inout;
  buffer.data = arrays.at(bound.position).span();
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
  if (auto set = set_source(request, std::move(source), bound.macros, bound.options); !set)
    return fail(set.error().code(), spec.file + ": macros_values: " + set.error().message());
  request.label = spec.name;
  return request;
}

Expected<Job> make_job(const Spec& spec, const BoundSpec& bound, SourcePtr source, Arrays& arrays) {
  Job job;
  auto request = make_request(spec, bound, std::move(source));
  if (!request) return tl::unexpected(request.error());
  job.request = std::move(*request);
  job.kernel = spec.name;
  job.range = range_of(bound);
  for (const auto& argument : bound.arguments) {
    job.arguments.push_back(make_argument(argument, arrays));
    job.names.push_back(std::to_string(argument.position));
  }
  return job;
}

}  // namespace kiln::spec
