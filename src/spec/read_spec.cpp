#include <array>

#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

/// `description` and `$schema` mean nothing here, but people and editors want them.
constexpr std::array<std::string_view, 26> known_keys = {"name",
                                                         "src",
                                                         "partition",
                                                         "workDimension",
                                                         "globalWorkSize",
                                                         "localWorkSize",
                                                         "inputBuffers",
                                                         "outputBuffers",
                                                         "ioBuffers",
                                                         "varArguments",
                                                         "localArguments",
                                                         "id",
                                                         "eco",
                                                         "ecos",
                                                         "symbolicVariables",
                                                         "macros_values",
                                                         "localChunkFactor",
                                                         "globalChunkFactor",
                                                         "depends",
                                                         "task",
                                                         "dataset",
                                                         "functions",
                                                         "cpuArguments",
                                                         "gpuArguments",
                                                         "$schema",
                                                         "description"};

/// Whether a file says anything that only the concurrent repository's reader understands.
bool speaks_concurrent(const Json& root) {
  for (const auto* key : {"symbolicVariables", "macros_values", "localChunkFactor",
                          "globalChunkFactor", "depends", "task"}) {
    if (root.find(key) != nullptr) return true;
  }
  for (const auto* key : {"inputBuffers", "outputBuffers", "ioBuffers"}) {
    const auto* list = root.find(key);
    if (list == nullptr) continue;
    for (const auto& buffer : list->value.items) {
      if (buffer.find("from") != nullptr) return true;
    }
  }
  return false;
}

/// An empty name would pass here and fail far away, in the driver or the file system.
void read_names(const Json& root, Spec& spec, Reader& reader) {
  constexpr std::string_view function = "the name of a __kernel function";
  constexpr std::string_view file = "the name of the kernel's source file";
  if (const Json* value = reader.required(root, "", "name", function)) {
    spec.name = reader.read_string(*value, "name", function).value_or("");
    if (value->is(Json::Kind::string) && spec.name.empty()) {
      reader.expected(*value, "name", function);
    }
  }
  if (const Json* value = reader.required(root, "", "src", file)) {
    spec.src = reader.read_string(*value, "src", file).value_or("");
    const bool usable = !spec.src.empty() && spec.src.find('\0') == std::string::npos;
    if (value->is(Json::Kind::string) && !usable) reader.expected(*value, "src", file);
  }
}

/// The original prints "Ignoring …" for these.
void warn_of_dropped(const Json& root, Reader& reader) {
  for (const auto* key : {"cpuArguments", "gpuArguments"}) {
    if (const auto* member = root.find(key)) {
      reader.warning(member->at, key, "found an attribute that was never in use, it is ignored");
    }
  }
}

}  // namespace

std::optional<Spec> read_spec(const Json& root, SpecDialect dialect, Reader& reader) {
  Spec spec;
  spec.file = reader.file();
  spec.dialect_was_asked = dialect != SpecDialect::automatic;
  spec.dialect = spec.dialect_was_asked    ? dialect
                 : speaks_concurrent(root) ? SpecDialect::concurrent
                                           : SpecDialect::base;
  read_names(root, spec, reader);
  read_geometry(root, spec, reader);
  read_buffers(root, spec, reader);
  read_arguments(root, spec, reader);
  read_symbols(root, spec, reader);
  read_functions(root, spec, reader);
  read_graph(root, spec, reader);
  reader.warn_of_unknown(root, "", known_keys);
  warn_of_dropped(root, reader);
  // Positions and names only make sense once every argument has been understood.
  if (!reader.has_errors()) check_positions(spec, reader);
  if (!reader.has_errors()) check_names(spec, reader);
  if (reader.has_errors()) return std::nullopt;
  return spec;
}

}  // namespace kiln::spec
