#include <cmath>

#include "base/data/number.hpp"
#include "spec/read/reader.hpp"

// One specification file as a Spec: its names, geometry and place in a graph here, the rest by
// arguments.cpp and symbols.cpp.
namespace kiln::spec {
namespace {

constexpr int unknown_dimension = 0;

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

constexpr std::string_view function_name = "the name of a __kernel function";
constexpr std::string_view source_name = "the name of the kernel's source file";
constexpr std::string_view partition_range = "a partition class, an integer 0..10";
constexpr std::string_view dimension_range = "the number of dimensions: 1, 2 or 3";
constexpr std::string_view global_example = "the global size, such as \"[dataset]\"";

/// A text that is not empty, without zero bytes: others would fail far away, in the driver or the
/// file system.
template <std::string Spec::*name>
void read_text_attribute(const Attribute& found, Spec& spec, Reader& reader) {
  const std::string& text = found.value.text;
  if (found.value.is(Json::Kind::string) && !text.empty() && text.find('\0') == text.npos)
    spec.*name = text;
  else
    reader.expected(found.value, found.path, name == &Spec::name ? function_name : source_name);
}

/// The original prints "Ignoring …" for these.
void warn_of_dropped(const Json& root, Reader& reader) {
  for (const auto* key : {"cpuArguments", "gpuArguments"}) {
    if (const auto* member = root.find(key)) {
      reader.warning(member->at, key, "found an attribute that was never in use, it is ignored");
    }
  }
}

/// What a dialect requires that was asked for; files of the other do without it.
void warn_of_missing(const Json& root, const Spec& spec, Reader& reader) {
  if (!spec.dialect_was_asked) return;
  const bool base = spec.dialect == SpecDialect::base;
  const std::string key = base ? "partition" : "symbolicVariables";
  if (Reader::optional(root, key) != nullptr) return;
  reader.warning(root.at, key,
                 "missing, expected " +
                     (base ? std::string(partition_range) + ": the base dialect requires it"
                           : "an object {name: value}: the concurrent dialect requires it"));
}

/// Published files give the class as 10, 10.0 and "10".
std::optional<std::int64_t> as_integer(const Json& value) {
  if (value.is(Json::Kind::integer)) return value.integer;
  if (value.is(Json::Kind::real) && value.real == std::trunc(value.real) &&
      std::abs(value.real) <= 1e6) {
    return static_cast<std::int64_t>(value.real);
  }
  return value.is(Json::Kind::string) ? parse_number<std::int64_t>(value.text) : std::nullopt;
}

void read_partition(const Attribute& found, Spec& spec, Reader& reader) {
  const auto number = as_integer(found.value);
  if (number && *number >= 0 && *number <= 10)
    spec.partition = static_cast<int>(*number);
  else
    reader.expected(found.value, found.path, partition_range);
}

void read_dimension(const Attribute& found, Spec& spec, Reader& reader) {
  const auto number = reader.read_integer(found.value, found.path, 1, 3, dimension_range);
  spec.work_dimension = static_cast<int>(number.value_or(unknown_dimension));
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
  if (spec.work_dimension == unknown_dimension || !dimensions ||
      *dimensions == static_cast<std::size_t>(spec.work_dimension))
    return;
  reader.error(at.at, formula.attribute,
               "found " + quote(formula.text) + " with " + std::to_string(*dimensions) +
                   (*dimensions == 1 ? " dimension" : " dimensions") + ", expected " +
                   std::to_string(spec.work_dimension) + " as workDimension says");
}

std::optional<Formula> read_sizes(const Attribute& found, const Spec& spec, Reader& reader) {
  auto formula = reader.read_formula(found.value, found.path, Reader::Shape::number_or_list);
  if (formula) check_dimensions(*formula, spec, found.value, reader);
  return formula;
}

void read_global(const Attribute& found, Spec& spec, Reader& reader) {
  if (auto formula = read_sizes(found, spec, reader)) spec.global_work_size = *std::move(formula);
}

void read_local(const Attribute& found, Spec& spec, Reader& reader) {
  // The original's own default is the empty list, so files write it.
  if (found.value.is(Json::Kind::list) && found.value.items.empty()) return;
  spec.local_work_size = read_sizes(found, spec, reader);
}

/// Numbers that the original stores and never uses; kept so that nothing of a file is lost.
std::optional<double> read_cost(const Json& value, std::string attribute, Reader& reader) {
  if (value.is(Json::Kind::integer)) return static_cast<double>(value.integer);
  if (value.is(Json::Kind::real)) return value.real;
  reader.expected(value, std::move(attribute), "a number");
  return std::nullopt;
}

void read_eco(const Attribute& found, Spec& spec, Reader& reader) {
  spec.eco = read_cost(found.value, found.path, reader);
}

void read_ecos(const Attribute& found, Spec& spec, Reader& reader) {
  for (const auto* member :
       reader.members_of(found.value, found.path, "an object {dataset: number}"))
    if (const auto cost = read_cost(member->value, join(found.path, quote(member->key)), reader))
      spec.ecos[member->key] = *cost;
}

/// Kept for tools that write files back.
template <std::vector<std::int64_t> Spec::*factors>
void read_factors(const Attribute& found, Spec& spec, Reader& reader) {
  constexpr std::string_view what = "a list of integers from 1";
  for (const Json& item : reader.items_of(found.value, found.path, what)) {
    const auto index = static_cast<std::size_t>(&item - found.value.items.data());
    const auto factor =
        reader.read_integer(item, join(found.path, index), 1, std::int64_t{1} << 32, what);
    if (factor) (spec.*factors).push_back(*factor);
  }
}

/// Whether the ids exist is for the graph to say: one file knows only itself.
void read_depends(const Attribute& found, Spec& spec, Reader& reader) {
  const auto items = reader.items_of(found.value, found.path, "a list of kernel ids");
  auto& depends = spec.depends.emplace();
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto id = reader.read_id(items[i], join(found.path, i));
    if (id && spec.id && *id == *spec.id)
      reader.error(items[i].at, join(found.path, i),
                   "found the kernel's own id, expected the id of another kernel");
    if (id) depends.push_back(*std::move(id));
  }
}

void read_own_id(const Attribute& found, Spec& spec, Reader& reader) {
  spec.id = reader.read_id(found.value, found.path);
}

template <std::optional<std::int64_t> Spec::*number>
void read_number(const Attribute& found, Spec& spec, Reader& reader) {
  spec.*number = reader.read_integer(found.value, found.path, INT64_MIN, INT64_MAX, "an integer");
}

/// All that a file may have. An attribute may need one that stands before it here: sizes need
/// workDimension, `depends` needs the id. `description` and `$schema` mean nothing here, but people
/// and editors want them.
constexpr Field<Spec> spec_fields[] = {
    {"name", read_text_attribute<&Spec::name>, function_name},
    {"src", read_text_attribute<&Spec::src>, source_name},
    {"partition", read_partition},
    {"workDimension", read_dimension, dimension_range},
    {"globalWorkSize", read_global, global_example},
    {"localWorkSize", read_local},
    {"inputBuffers", read_buffers},
    {"outputBuffers", read_buffers},
    {"ioBuffers", read_buffers},
    {"varArguments", read_vars},
    {"localArguments", read_locals},
    {"symbolicVariables", read_symbolic_variables},
    {"macros_values", read_macros},
    {"specialization", read_specialization},
    {"localChunkFactor", read_factors<&Spec::local_chunk_factor>},
    {"globalChunkFactor", read_factors<&Spec::global_chunk_factor>},
    {"functions", read_functions},
    {"id", read_own_id},
    {"eco", read_eco},
    {"ecos", read_ecos},
    {"depends", read_depends},
    {"task", read_number<&Spec::task>},
    {"dataset", read_number<&Spec::dataset>},
    {"cpuArguments"},
    {"gpuArguments"},
    {"$schema"},
    {"description"}};

}  // namespace

std::optional<Spec> read_spec(const Json& root, SpecDialect dialect, Reader& reader) {
  Spec spec;
  spec.file = reader.file();
  spec.dialect_was_asked = dialect != SpecDialect::automatic;
  spec.dialect = spec.dialect_was_asked    ? dialect
                 : speaks_concurrent(root) ? SpecDialect::concurrent
                                           : SpecDialect::base;
  // One wrong workDimension shall not make the sizes look wrong as well.
  spec.work_dimension = unknown_dimension;
  reader.read_fields(root, "", spec_fields, spec);
  warn_of_missing(root, spec, reader);
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
