#pragma once

#include <string>
#include <string_view>

#include "kiln/expr.hpp"

/// What every test of the expression language needs.
namespace kiln::expr {

/// The names that tests/expr/reference.py knows too.
inline Scope sample_scope() {
  Scope scope;
  scope.set("dataset", 1024);
  scope.set("n", 7);
  scope.set("m", -3);
  scope.set("zero", 0);
  scope.set("x", 2.5);
  scope.set("y", -0.75);
  scope.set("t", true);
  scope.set("s", "abc");
  scope.set("l", List{1, 2.5, "x", List{3, -4}});
  scope.set("e", List{});
  return scope;
}

/// The value's text, or the error's message.
inline std::string result_of(std::string_view text, const Scope& scope,
                             Dialect dialect = Dialect::python3, Limits limits = {}) {
  const auto parsed = Expression::parse(text, dialect, limits);
  if (!parsed) return parsed.error().message();
  const auto value = parsed->evaluate(scope);
  return value ? value->text() : value.error().message();
}
inline std::string result_of(std::string_view text, Dialect dialect = Dialect::python3,
                             Limits limits = {}) {
  return result_of(text, sample_scope(), dialect, limits);
}

/// The canonical text, or the error's message.
inline std::string canonical_of(std::string_view text, Dialect dialect = Dialect::python3) {
  const auto parsed = Expression::parse(text, dialect);
  return parsed ? parsed->canonical() : parsed.error().message();
}

/// A short text many times over: for hostile input.
inline std::string times(std::size_t count, std::string_view part) {
  std::string whole;
  whole.reserve(count * part.size());
  for (std::size_t i = 0; i < count; ++i) whole += part;
  return whole;
}

}  // namespace kiln::expr
