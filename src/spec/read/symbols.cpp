#include <algorithm>
#include <set>

#include "spec/read/names.hpp"
#include "spec/read/reader.hpp"

// What a specification file defines for its formulas and its program: symbols, macros,
// specialization constants and functions.
namespace kiln::spec {
namespace {

/// Working them out takes quadratic time where they build on each other.
constexpr std::size_t most_variables = 1024;

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

/// Ordering them takes quadratic time.
constexpr std::size_t most_functions = 256;

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// "round_up(x, step)" → the name and its parameters.
std::optional<Function> read_signature(std::string_view key) {
  const auto open = key.find('(');
  if (open == key.npos || trim(key).back() != ')') return std::nullopt;
  Function function;
  function.name = trim(key.substr(0, open));
  std::string_view list = trim(key);
  list = trim(list.substr(list.find('(') + 1));
  list = trim(list.substr(0, list.size() - 1));
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    function.parameters.emplace_back(trim(list.substr(0, comma)));
    if (comma == list.size()) break;
    list = trim(list.substr(comma + 1));
    if (list.empty()) return std::nullopt;  // "f(a,)"
  }
  const std::set<std::string> distinct(function.parameters.begin(), function.parameters.end());
  const bool right = is_name(function.name) && distinct.size() == function.parameters.size() &&
                     std::all_of(distinct.begin(), distinct.end(),
                                 [](const std::string& name) { return is_name(name); });
  return right ? std::optional(std::move(function)) : std::nullopt;
}

/// The expression language has reserved words: it knows best.
bool is_usable(const Function& function) {
  static const auto body = expr::Expression::parse("0", expr::Dialect::python2);
  return expr::Scope().define(function.name, function.parameters, *body).has_value();
}

/// Built-in names stay what they are: a file that redefines `min` would read wrong to every reader.
void read_function(const JsonMember& member, std::set<std::string>& taken, Spec& spec,
                   Reader& reader) {
  auto function = read_signature(member.key);
  if (!function || !is_usable(*function)) {
    reader.error(member.at, "functions",
                 "found " + quote(member.key) + ", expected \"name(parameter, …)\"");
    return;
  }
  const std::string attribute = join("functions", member.key);
  if (!taken.insert(function->name).second) {
    reader.error(
        member.at, attribute,
        "found the name " + quote(function->name) + ", expected one that no other function has");
    return;
  }
  auto body = reader.read_formula(member.value, attribute, Reader::Shape::number);
  if (!body) return;
  function->body = *std::move(body);
  spec.functions.push_back(*std::move(function));
}

}  // namespace

// In a plain file these are for information, in a graph's node they are the values: both serve as
// defaults here.
void read_symbolic_variables(const Attribute& found, Spec& spec, Reader& reader) {
  const auto members = reader.members_of(found.value, found.path, "an object {name: value}");
  if (found.value.members.size() > most_variables)
    return reader.expected(found.value, found.path, "at most " + std::to_string(most_variables));
  auto& variables = spec.symbolic_variables.emplace();
  for (const JsonMember* member : members) {
    if (!is_name(member->key)) {
      reader.error(member->at, found.path,
                   "found " + quote(member->key) + ", expected a name of letters, digits and _");
      continue;
    }
    auto formula = reader.read_formula(member->value, join(found.path, member->key),
                                       Reader::Shape::number_or_list);
    if (formula) variables.emplace_back(member->key, *std::move(formula));
  }
}

void read_macros(const Attribute& found, Spec& spec, Reader& reader) {
  const auto members = reader.members_of(found.value, found.path, "an object {NAME: value}");
  if (spec.dialect == SpecDialect::base && found.value.is(Json::Kind::object))
    return reader.warning(found.value.at, found.path,
                          "found macros, expected none: the base dialect ignores them");
  for (const JsonMember* member : members) {
    if (!is_name(member->key)) {
      reader.error(member->at, found.path,
                   "found " + quote(member->key) + ", expected a macro's name");
      continue;
    }
    auto text = macro_text(member->value, join(found.path, member->key), reader);
    if (text) spec.macros.push_back({member->key, *std::move(text), reader.line(member->at)});
  }
}

// Whether the constants are there is for the module to say.
void read_specialization(const Attribute& found, Spec& spec, Reader& reader) {
  constexpr std::size_t most_constants = 1024;
  const auto members = reader.members_of(found.value, found.path, "an object {\"SpecId\": value}");
  if (found.value.members.size() > most_constants)
    return reader.expected(found.value, found.path, "at most " + std::to_string(most_constants));
  for (const JsonMember* member : members) {
    if (member->key.empty() || member->key.size() > 255) {
      reader.error(member->at, found.path,
                   "found " + quote(member->key) + ", expected a constant's SpecId or name");
      continue;
    }
    auto formula =
        reader.read_formula(member->value, join(found.path, member->key), Reader::Shape::number);
    if (formula) spec.specialization.push_back({member->key, *std::move(formula)});
  }
}

void read_functions(const Attribute& found, Spec& spec, Reader& reader) {
  const auto members = reader.members_of(found.value, found.path,
                                         "an object {\"name(parameters)\": \"expression\"}");
  if (found.value.members.size() > most_functions)
    return reader.expected(found.value, found.path, "at most " + std::to_string(most_functions));
  std::set<std::string> taken = {"partition_round", "multiple_round"};
  for (const auto& name : expr::Scope().functions()) taken.insert(name);
  for (const JsonMember* member : members) read_function(*member, taken, spec, reader);
  if (const auto* function = recursive_function(spec)) {
    reader.add({Message::Severity::error, reader.file(), function->body.line, 0,
                function->body.attribute,
                "found a function that calls itself, directly or through others, expected one "
                "that ends"});
  }
}

}  // namespace kiln::spec
