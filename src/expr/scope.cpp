// Names and functions of an expression.
#include <fmt/format.h>

#include <algorithm>

#include "expr/functions.hpp"
#include "expr/lexer.hpp"
#include "expr/text.hpp"
#include "kiln/expr.hpp"

namespace kiln::expr {
namespace {

/// A map is sorted, so its keys come out sorted.
template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  keys.reserve(map.size());
  for (const auto& entry : map) keys.push_back(entry.first);
  return keys;
}

/// A function whose name is no identifier could not be called from any text.
Expected<void> check_names(const std::string& name, const std::vector<std::string>& parameters) {
  if (!is_identifier(name)) return fail(Errc::bad_input, shown(name) + " cannot name a function");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& parameter = parameters[i];
    if (!is_identifier(parameter)) {
      return fail(Errc::bad_input,
                  fmt::format("{}: {} cannot name a parameter", name, shown(parameter)));
    }
    const auto rest = parameters.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(parameters.begin(), rest, parameter) != rest) {
      return fail(Errc::bad_input,
                  fmt::format("{}: two parameters named {}", name, shown(parameter)));
    }
  }
  return {};
}

}  // namespace

Scope::Scope() {
  // Made once and shared: scopes are made per launch, and these entries never change.
  static const auto shared = [] {
    decltype(functions_) functions;
    for (const Builtin& each : builtins()) {
      functions.emplace(each.name, std::make_shared<const Entry>(
                                       Entry{each.least, each.most, each.call, {}, nullptr}));
    }
    return functions;
  }();
  functions_ = shared;
}

void Scope::set(std::string name, Value value) {
  values_.insert_or_assign(std::move(name), std::move(value));
}

void Scope::define(std::string name, std::size_t least_arguments, std::size_t most_arguments,
                   Function function) {
  Entry entry{least_arguments, most_arguments, std::move(function), {}, nullptr};
  functions_.insert_or_assign(std::move(name), std::make_shared<const Entry>(std::move(entry)));
}

Expected<void> Scope::define(std::string name, std::vector<std::string> parameters,
                             const Expression& body) {
  if (auto checked = check_names(name, parameters); !checked) return checked;
  // Circles through other functions are seen when they run: those may be defined later.
  const auto called = body.called_functions();
  if (std::binary_search(called.begin(), called.end(), name)) {
    return fail(Errc::bad_input, name + " calls itself: functions may not recurse");
  }
  const std::size_t count = parameters.size();
  Entry entry{count, count, {}, std::move(parameters), std::make_shared<const Expression>(body)};
  functions_.insert_or_assign(std::move(name), std::make_shared<const Entry>(std::move(entry)));
  return {};
}

const Value* Scope::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

bool Scope::has_function(std::string_view name) const {
  return functions_.find(name) != functions_.end();
}

std::vector<std::string> Scope::names() const { return keys_of(values_); }
std::vector<std::string> Scope::functions() const { return keys_of(functions_); }

}  // namespace kiln::expr
