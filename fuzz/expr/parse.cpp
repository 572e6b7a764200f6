// Any text: parse, canonical form, parse again, evaluate both. Besides what the sanitizers see:
// the canonical form is a fixed point, keeps names and value, and every error is one line with
// its column.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kiln/expr.hpp"

namespace {

using namespace kiln::expr;

void require(bool holds, const char* what, const std::string& shown) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, shown.c_str());
  std::abort();
}

void check_message(const kiln::Error& error) {
  const std::string& message = error.message();
  require(message.starts_with("column "), "an error without its column", message);
  for (const char c : message) {
    require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "a control character", message);
  }
}

Scope make_scope() {
  Scope scope;
  scope.set("n", 7);
  scope.set("m", -3);
  scope.set("x", 2.5);
  scope.set("s", "abc");
  scope.set("l", List{1, 2.5, "x", List{3, -4}});
  const auto body = Expression::parse("a * 2 + n / b", Dialect::python2);
  require(scope.define("f", {"a", "b"}, *body).has_value(), "a definition failed", "f");
  const auto first = Expression::parse("g(a) if a else 0", Dialect::python3);
  require(scope.define("h", {"a"}, *first).has_value(), "a definition failed", "h");
  const auto second = Expression::parse("[h(a - 1)]", Dialect::python3);
  require(scope.define("g", {"a"}, *second).has_value(), "a definition failed", "g");
  return scope;
}

void check(std::string_view text, Dialect dialect) {
  static const Scope scope = make_scope();
  Limits limits;
  limits.steps = 20'000;  // keeps runs fast
  const auto parsed = Expression::parse(text, dialect, limits);
  if (!parsed) return check_message(parsed.error());
  const std::string canonical = parsed->canonical();
  const auto again = Expression::parse(canonical, dialect, limits);
  require(again.has_value(), "a canonical text does not parse", canonical);
  require(again->canonical() == canonical, "not a fixed point", canonical);
  require(again->free_names() == parsed->free_names(), "other names", canonical);
  require(again->called_functions() == parsed->called_functions(), "other functions", canonical);
  const auto value = parsed->evaluate(scope), same = again->evaluate(scope);
  require(value.has_value() == same.has_value(), "a value and an error", canonical);
  if (!value) return check_message(value.error());
  require(value->text() == same->text(), "other value", canonical);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, Dialect::python2);
  check(text, Dialect::python3);
  return 0;
}
