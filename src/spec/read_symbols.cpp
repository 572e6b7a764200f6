#include <algorithm>
#include <set>

#include "spec/names.hpp"
#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

/// Working them out takes quadratic time where they build on each other.
constexpr std::size_t most_variables = 1024;

/// In a plain file these are for information, in a graph's node they are the values: both serve as
/// defaults here.
void read_symbolic_variables(const Json& root, Spec& spec, Reader& reader) {
  const Json* object = Reader::optional(root, "symbolicVariables");
  if (object == nullptr) {
    if (spec.dialect_was_asked && spec.dialect == SpecDialect::concurrent) {
      reader.warning(root.at, "symbolicVariables",
                     "missing, expected an object {name: value}: the concurrent dialect "
                     "requires it");
    }
    return;
  }
  if (!object->is(Json::Kind::object)) {
    reader.expected(*object, "symbolicVariables", "an object {name: value}");
    return;
  }
  if (object->members.size() > most_variables) {
    reader.expected(*object, "symbolicVariables", "at most " + std::to_string(most_variables));
    return;
  }
  auto& variables = spec.symbolic_variables.emplace();
  std::set<std::string_view> seen;
  // Backwards, because the last of two equal keys counts.
  for (auto member = object->members.rbegin(); member != object->members.rend(); ++member) {
    if (!seen.insert(member->key).second) continue;
    const std::string attribute = join("symbolicVariables", member->key);
    if (!is_name(member->key)) {
      reader.error(member->at, "symbolicVariables",
                   "found " + quote(member->key) + ", expected a name of letters, digits and _");
      continue;
    }
    auto formula = reader.read_formula(member->value, attribute, Reader::Shape::number_or_list);
    if (formula) variables.emplace_back(member->key, *std::move(formula));
  }
  std::reverse(variables.begin(), variables.end());
}

/// The text behind -D NAME=. Not an expression: it is C, of which only the symbols are replaced.
std::optional<std::string> macro_text(const Json& value, const std::string& attribute,
                                      Reader& reader) {
  constexpr std::string_view what = "a number, or a text on one line";
  switch (value.kind) {
    case Json::Kind::boolean:
      return value.boolean ? "1" : "0";
    case Json::Kind::integer:
      return std::to_string(value.integer);
    case Json::Kind::real:
      return value.text;
    case Json::Kind::string:
      // A line break or a zero byte would end the option, or start another.
      if (std::none_of(value.text.begin(), value.text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
        return value.text;
      }
      [[fallthrough]];
    default:
      reader.expected(value, attribute, what);
      return std::nullopt;
  }
}

void read_macros(const Json& root, Spec& spec, Reader& reader) {
  const Json* object = Reader::optional(root, "macros_values");
  if (object == nullptr) return;
  if (!object->is(Json::Kind::object)) {
    reader.expected(*object, "macros_values", "an object {NAME: value}");
    return;
  }
  if (spec.dialect == SpecDialect::base) {
    reader.warning(object->at, "macros_values",
                   "found macros, expected none: the base dialect ignores them");
    return;
  }
  std::set<std::string_view> seen;
  for (auto member = object->members.rbegin(); member != object->members.rend(); ++member) {
    if (!seen.insert(member->key).second) continue;
    if (!is_name(member->key)) {
      reader.error(member->at, "macros_values",
                   "found " + quote(member->key) + ", expected a macro's name");
      continue;
    }
    auto text = macro_text(member->value, join("macros_values", member->key), reader);
    if (text) spec.macros.push_back({member->key, *std::move(text), reader.line(member->at)});
  }
  std::reverse(spec.macros.begin(), spec.macros.end());
}

/// Kept for legacy rounding (local) and for tools that write files back (global).
void read_factors(const Json& root, std::string_view key, std::vector<std::int64_t>& factors,
                  Reader& reader) {
  constexpr std::string_view what = "a list of integers from 1";
  const Json* list = Reader::optional(root, key);
  if (list == nullptr) return;
  if (!list->is(Json::Kind::list)) {
    reader.expected(*list, std::string(key), what);
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const auto factor =
        reader.read_integer(list->items[i], join(key, i), 1, std::int64_t{1} << 32, what);
    if (factor) factors.push_back(*factor);
  }
}

}  // namespace

void read_symbols(const Json& root, Spec& spec, Reader& reader) {
  read_symbolic_variables(root, spec, reader);
  read_macros(root, spec, reader);
  read_factors(root, "localChunkFactor", spec.local_chunk_factor, reader);
  read_factors(root, "globalChunkFactor", spec.global_chunk_factor, reader);
}

}  // namespace kiln::spec
