#include <array>
#include <charconv>
#include <cmath>

#include "spec/read/reader.hpp"

// One specification file as a Spec: its names, geometry and place in a graph here, the rest by
// arguments.cpp and symbols.cpp.
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

constexpr std::string_view partition_range = "a partition class, an integer 0..10";

/// Published files give the class as 10, 10.0 and "10".
std::optional<std::int64_t> whole_number(const Json& value) {
  if (value.is(Json::Kind::integer)) return value.integer;
  if (value.is(Json::Kind::real) && value.real == std::trunc(value.real) &&
      std::abs(value.real) <= 1e6) {
    return static_cast<std::int64_t>(value.real);
  }
  if (!value.is(Json::Kind::string)) return std::nullopt;
  std::int64_t number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto parsed = std::from_chars(value.text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

void read_partition(const Json& root, Spec& spec, Reader& reader) {
  const Json* value = Reader::optional(root, "partition");
  if (value == nullptr) {
    if (spec.dialect_was_asked && spec.dialect == SpecDialect::base) {
      reader.warning(
          root.at, "partition",
          "missing, expected " + std::string(partition_range) + ": the base dialect requires it");
    }
    return;
  }
  const auto number = whole_number(*value);
  if (!number || *number < 0 || *number > 10) {
    reader.expected(*value, "partition", partition_range);
    return;
  }
  spec.partition = static_cast<int>(*number);
}

/// A size formula's own number of dimensions, where the file shows it.
std::optional<std::size_t> dimensions_of(const Formula& formula) {
  if (const auto* list = std::get_if<expr::List>(&formula.literal.data());
      list != nullptr && !formula.expression) {
    return list->size();
  }
  if (!formula.expression) return 1;
  // The number of elements of a list rarely depends on the symbols' values, so they are all set
  // to 1.
  expr::Scope ones;
  for (auto& name : formula.expression->free_names()) ones.set(std::move(name), 1);
  const auto value = formula.expression->evaluate(ones);
  if (!value) return std::nullopt;
  const auto* list = std::get_if<expr::List>(&value->data());
  return list == nullptr ? 1 : list->size();
}

/// The original reads workDimension for its rounding only and runs the list's dimensions. A file
/// where they differ is a slip, and its rounding would follow the wrong rule.
void check_dimensions(const Formula& formula, const Spec& spec, const Json& at, Reader& reader) {
  const auto dimensions = dimensions_of(formula);
  if (!dimensions || *dimensions == static_cast<std::size_t>(spec.work_dimension)) return;
  reader.error(at.at, formula.attribute,
               "found " + quote(formula.text) + " with " + std::to_string(*dimensions) +
                   (*dimensions == 1 ? " dimension" : " dimensions") + ", expected " +
                   std::to_string(spec.work_dimension) + " as workDimension says");
}

void read_geometry(const Json& root, Spec& spec, Reader& reader) {
  constexpr std::string_view dimension_range = "the number of dimensions: 1, 2 or 3";
  constexpr std::string_view global_example = "the global size, such as \"[dataset]\"";
  read_partition(root, spec, reader);
  // One wrong workDimension shall not make the sizes look wrong as well.
  bool dimension_is_known = false;
  if (const Json* value = reader.required(root, "", "workDimension", dimension_range)) {
    const auto number = reader.read_integer(*value, "workDimension", 1, 3, dimension_range);
    dimension_is_known = number.has_value();
    spec.work_dimension = static_cast<int>(number.value_or(1));
  }
  if (const Json* value = reader.required(root, "", "globalWorkSize", global_example)) {
    auto formula = reader.read_formula(*value, "globalWorkSize", Reader::Shape::number_or_list);
    if (formula && dimension_is_known) check_dimensions(*formula, spec, *value, reader);
    if (formula) spec.global_work_size = *std::move(formula);
  }
  // The original's own default is the empty list, so files write it.
  const Json* local = Reader::optional(root, "localWorkSize");
  if (local == nullptr || (local->is(Json::Kind::list) && local->items.empty())) return;
  auto formula = reader.read_formula(*local, "localWorkSize", Reader::Shape::number_or_list);
  if (formula && dimension_is_known) check_dimensions(*formula, spec, *local, reader);
  spec.local_work_size = std::move(formula);
}

/// Numbers that the original stores and never uses; kept so that nothing of a file is lost.
void read_costs(const Json& root, Spec& spec, Reader& reader) {
  constexpr std::string_view what = "an object {dataset: number}";
  const auto number = [](const Json& value) -> std::optional<double> {
    if (value.is(Json::Kind::integer)) return static_cast<double>(value.integer);
    if (value.is(Json::Kind::real)) return value.real;
    return std::nullopt;
  };
  if (const Json* value = Reader::optional(root, "eco")) {
    spec.eco = number(*value);
    if (!spec.eco) reader.expected(*value, "eco", "a number");
  }
  const Json* costs = Reader::optional(root, "ecos");
  if (costs == nullptr) return;
  if (!costs->is(Json::Kind::object)) {
    reader.expected(*costs, "ecos", what);
    return;
  }
  for (const auto& member : costs->members) {
    const auto cost = number(member.value);
    if (cost) {
      spec.ecos[member.key] = *cost;
    } else {
      reader.expected(member.value, join("ecos", quote(member.key)), "a number");
    }
  }
}

/// Whether the ids exist is for the graph to say: one file knows only itself.
void read_depends(const Json& root, Spec& spec, Reader& reader) {
  const Json* list = Reader::optional(root, "depends");
  if (list == nullptr) return;
  if (!list->is(Json::Kind::list)) {
    reader.expected(*list, "depends", "a list of kernel ids");
    return;
  }
  auto& depends = spec.depends.emplace();
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    auto id = reader.read_id(list->items[i], join("depends", i));
    if (id && spec.id && *id == *spec.id) {
      reader.error(list->items[i].at, join("depends", i),
                   "found the kernel's own id, expected the id of another kernel");
    }
    if (id) depends.push_back(*std::move(id));
  }
}

void read_graph(const Json& root, Spec& spec, Reader& reader) {
  if (const Json* value = Reader::optional(root, "id")) spec.id = reader.read_id(*value, "id");
  read_costs(root, spec, reader);
  read_depends(root, spec, reader);
  if (const Json* value = Reader::optional(root, "task")) {
    spec.task = reader.read_integer(*value, "task", INT64_MIN, INT64_MAX, "an integer");
  }
  if (const Json* value = Reader::optional(root, "dataset")) {
    spec.dataset = reader.read_integer(*value, "dataset", INT64_MIN, INT64_MAX, "an integer");
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
  read_arguments(root, spec, reader);
  read_symbols(root, spec, reader);
  read_graph(root, spec, reader);
  reader.warn_of_unknown(root, "", known_keys);
  warn_of_dropped(root, reader);
  // Positions and names only make sense once every argument has been understood.
  if (!reader.has_errors()) check_positions(spec, reader);
  if (!reader.has_errors()) check_names(spec, reader);
  if (reader.has_errors()) return std::nullopt;
  return spec;
}

// An empty `depends` is a root of a graph, and runs alone as well as any kernel.
bool is_part_of_graph(const Spec& spec) {
  if (spec.task || (spec.depends && !spec.depends->empty())) return true;
  for (const auto& buffer : spec.buffers) {
    if (buffer.from) return true;
  }
  return false;
}

}  // namespace kiln::spec
