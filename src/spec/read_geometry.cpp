#include <charconv>
#include <cmath>

#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

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
  // The number of elements of a list rarely hangs on the symbols: ones will do.
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

}  // namespace

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

}  // namespace kiln::spec
