#include "tune/space/constraint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace kiln::tune {
namespace {

tl::unexpected<Error> refuse(std::string_view text, const std::string& why) {
  return fail(Errc::bad_input, fmt::format("constraint '{}': {}", one_line(text), why));
}

/// Where ` and ` stands outside of brackets and quotes in a canonical text, or npos. Only a text
/// whose top is an `and` is cut there: `or`, `if` and `not` would bind the parts otherwise.
std::size_t top_and(std::string_view text) {
  int depth = 0;
  char quote = 0;
  std::size_t found = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (depth > 0) continue;
    if (text.substr(i).starts_with(" or ") || text.substr(i).starts_with(" if ")) {
      return std::string_view::npos;
    }
    if (text.substr(i).starts_with(" and ")) found = std::min(found, i);
  }
  return found;
}

}  // namespace

Expected<Constraint> parse_constraint(std::string_view text,
                                      std::span<const Parameter> parameters) {
  auto expression = expr::Expression::parse(text, expr::Dialect::python3);
  if (!expression) return refuse(text, expression.error().message());
  std::vector<std::string_view> known;
  for (const Parameter& parameter : parameters) known.push_back(parameter.name);
  for (const std::string& name : expression->free_names()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return refuse(text,
                  fmt::format("no parameter is named '{}'{}", name, did_you_mean(name, known)));
  }
  const expr::Scope scope;
  for (const std::string& function : expression->called_functions()) {
    if (scope.has_function(function)) continue;
    const auto names = scope.functions();
    const std::vector<std::string_view> functions(names.begin(), names.end());
    return refuse(text,
                  fmt::format("no function '{}'{}", function, did_you_mean(function, functions)));
  }
  return Constraint{std::string(text), *std::move(expression)};
}

std::vector<Constraint> conjuncts(const Constraint& constraint) {
  std::vector<Constraint> parts;
  std::string rest = constraint.expression.canonical();
  const auto add = [&](const std::string& text) {
    auto part = expr::Expression::parse(text, constraint.expression.dialect());
    if (part) parts.push_back({constraint.text, *std::move(part)});
    return part.has_value();
  };
  for (std::size_t at; (at = top_and(rest)) != std::string::npos;) {
    if (!add(rest.substr(0, at))) return {constraint};
    rest.erase(0, at + 5);
  }
  if (parts.empty() || !add(rest)) return {constraint};
  return parts;
}

}  // namespace kiln::tune
