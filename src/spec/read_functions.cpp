#include <algorithm>
#include <set>

#include "spec/names.hpp"
#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

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

/// Built-in names stay what they are: a file that redefines `min` would read wrong to everybody.
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

void read_functions(const Json& root, Spec& spec, Reader& reader) {
  const Json* object = Reader::optional(root, "functions");
  if (object == nullptr) return;
  if (!object->is(Json::Kind::object)) {
    reader.expected(*object, "functions", "an object {\"name(parameters)\": \"expression\"}");
    return;
  }
  std::set<std::string> taken = {"partition_round", "multiple_round"};
  for (const auto& name : expr::Scope().functions()) taken.insert(name);
  if (object->members.size() > most_functions) {
    reader.expected(*object, "functions", "at most " + std::to_string(most_functions));
    return;
  }
  for (const auto& member : object->members) {
    if (object->find(member.key) == &member) read_function(member, taken, spec, reader);
  }
  if (const auto* function = recursive_function(spec)) {
    reader.add({Message::Severity::error, reader.file(), function->body.line, 0,
                function->body.attribute,
                "found a function that calls itself, directly or through others, expected one "
                "that ends"});
  }
}

}  // namespace kiln::spec
