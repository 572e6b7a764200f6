#include "tune/space/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/data/number.hpp"
#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "expr/lexer.hpp"
#include "expr/text.hpp"

namespace kiln::tune {
namespace {

constexpr std::string_view kForms =
    "expected NAME=VALUE,VALUE,… or NAME=FIRST..LAST:STEP (a factor: :*2)";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A number, a truth value, or a text.
expr::Value value_in(std::string_view text) {
  if (const auto number = parse_number<std::int64_t>(text)) return *number;
  const bool negative = text.starts_with('-');
  double real = 0;
  if (expr::read_number(negative ? text.substr(1) : text, real)) return negative ? -real : real;
  if (text == "True") return true;
  if (text == "False") return false;
  const bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
                      text.back() == text.front();
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

/// What the reader of one parameter knows: the whole text, for its messages.
class ParameterReader {
 public:
  explicit ParameterReader(std::string_view text) : text_(text) {}

  /// Throws Error.
  Parameter read() {
    const std::size_t equals = text_.find('=');
    if (equals == std::string_view::npos) refuse(std::string(kForms));
    const std::string_view name = trimmed(text_.substr(0, equals));
    if (!is_parameter_name(name))
      refuse(fmt::format("'{}' cannot name a parameter; {}", one_line(name), kForms));
    parameter_.name = name;
    const std::string_view values = trimmed(text_.substr(equals + 1));
    values.find("..") != std::string_view::npos ? range(values) : list(values);
    return std::move(parameter_);
  }

 private:
  void list(std::string_view values) {
    for (std::size_t at = 0; at <= values.size();) {
      const std::size_t comma = std::min(values.find(',', at), values.size());
      const std::string_view item = trimmed(values.substr(at, comma - at));
      if (item.empty()) refuse("a value is empty; " + std::string(kForms));
      expr::Value value = value_in(item);
      if (position_of(parameter_, value) < parameter_.values.size())
        refuse(fmt::format("the value {} stands twice", one_line(item)));
      add(std::move(value));
      at = comma + 1;
    }
  }

  void range(std::string_view text) {
    const std::size_t dots = text.find("..");
    const std::size_t colon = std::min(text.find(':', dots), text.size());
    const bool multiplies = text.substr(colon).starts_with(":*");
    const auto first = parse_number<std::int64_t>(trimmed(text.substr(0, dots)));
    const auto last = parse_number<std::int64_t>(trimmed(text.substr(dots + 2, colon - dots - 2)));
    const auto step =
        colon == text.size()
            ? std::optional<std::int64_t>(1)
            : parse_number<std::int64_t>(trimmed(text.substr(colon + (multiplies ? 2 : 1))));
    if (!first || !last || !step) refuse("a range takes integers; " + std::string(kForms));
    if (multiplies && (*step < 2 || *first < 1))
      refuse("a factor must be 2 or more, and the first value 1 or more");
    if (*step < 1) refuse("a step must be 1 or more");
    if (*first > *last) refuse(fmt::format("{} lies above {}", *first, *last));
    for (std::int64_t value = *first; value <= *last;) {
      add(value);
      const bool too_large = multiplies ? __builtin_mul_overflow(value, *step, &value)
                                        : __builtin_add_overflow(value, *step, &value);
      if (too_large) break;
    }
  }

  void add(expr::Value value) {
    if (parameter_.values.size() == kMostValues)
      refuse(fmt::format("more than {} values", kMostValues));
    parameter_.values.push_back(std::move(value));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Errc::bad_input, fmt::format("parameter '{}': {}", one_line(text_), why));
  }

  std::string_view text_;
  Parameter parameter_;
};

tl::unexpected<Error> refuse_constraint(std::string_view text, const std::string& why) {
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
    if (text.substr(i).starts_with(" or ") || text.substr(i).starts_with(" if "))
      return std::string_view::npos;
    if (text.substr(i).starts_with(" and ")) found = std::min(found, i);
  }
  return found;
}

}  // namespace

Expected<Parameter> parse_parameter(std::string_view text) {
  return expected_from([&] { return ParameterReader(text).read(); });
}

bool is_parameter_name(std::string_view name) { return expr::is_identifier(name); }

std::size_t position_of(const Parameter& parameter, const expr::Value& value) {
  const auto found = std::find(parameter.values.begin(), parameter.values.end(), value);
  return static_cast<std::size_t>(found - parameter.values.begin());
}

std::vector<std::size_t> sort_values(Parameter& parameter) {
  auto& values = parameter.values;
  if (!std::all_of(values.begin(), values.end(),
                   [](const expr::Value& value) { return value.is_number(); }))
    return {};
  std::vector<std::size_t> order(values.size()), rank(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return *values[a].to_double() < *values[b].to_double();
  });
  std::vector<expr::Value> sorted;
  for (const std::size_t at : order) {
    rank[at] = sorted.size();
    sorted.push_back(values[at]);
  }
  values = std::move(sorted);
  return rank;
}

Expected<Constraint> parse_constraint(std::string_view text,
                                      std::span<const Parameter> parameters) {
  auto expression = expr::Expression::parse(text, expr::Dialect::python3);
  if (!expression) return refuse_constraint(text, expression.error().message());
  std::vector<std::string_view> known;
  for (const Parameter& parameter : parameters) known.push_back(parameter.name);
  for (const std::string& name : expression->free_names()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return refuse_constraint(
        text, fmt::format("no parameter is named '{}'{}", name, did_you_mean(name, known)));
  }
  const expr::Scope scope;
  for (const std::string& function : expression->called_functions()) {
    if (scope.has_function(function)) continue;
    const auto names = scope.functions();
    const std::vector<std::string_view> functions(names.begin(), names.end());
    return refuse_constraint(
        text, fmt::format("no function '{}'{}", function, did_you_mean(function, functions)));
  }
  return Constraint{std::string(text), *std::move(expression)};
}

// Cuts the canonical text, since an Expression does not show its tree. A part that cannot be parsed
// leaves the constraint whole, which is only slower.
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
