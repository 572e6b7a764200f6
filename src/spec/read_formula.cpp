#include <cmath>

#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

constexpr std::string_view number_or_expression = "a number or an expression in a string";

/// A file holds many expressions and the longest published one has 33 characters: far below the
/// language's own bounds, so that no file can keep a machine busy.
constexpr expr::Limits limits = {.text_bytes = 1u << 16,
                                 .nodes = 10'000,
                                 .steps = 100'000,
                                 .list_items = 10'000,
                                 .string_bytes = 1u << 16};

/// A JSON number as the expression language sees it; nothing for what it cannot hold.
std::optional<expr::Value> number_of(const Json& value) {
  if (value.is(Json::Kind::boolean)) return expr::Value(value.boolean);
  if (value.is(Json::Kind::integer)) return expr::Value(value.integer);
  // Digits alone are an integer beyond 64 bits: as a double it would silently be another number.
  const bool whole = value.text.find_first_of(".eE") == std::string::npos;
  if (value.is(Json::Kind::real) && !whole && std::isfinite(value.real)) {
    return expr::Value(value.real);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Formula> Reader::read_formula(const Json& value, std::string attribute, Shape shape) {
  if (value.is(Json::Kind::string)) return read_expression(value, std::move(attribute));
  if (value.is(Json::Kind::list) && shape == Shape::number_or_list) {
    return read_list(value, std::move(attribute));
  }
  if (auto number = number_of(value)) {
    std::string text = number->text();
    return Formula{std::move(text), std::nullopt, *std::move(number), line(value.at),
                   std::move(attribute)};
  }
  if (value.is(Json::Kind::real)) {
    expected(value, std::move(attribute), "a number that fits 64 bits");
  } else {
    expected(value, std::move(attribute),
             shape == Shape::number ? std::string(number_or_expression)
                                    : "a list, or " + std::string(number_or_expression));
  }
  return std::nullopt;
}

Expected<expr::Expression> Reader::parse_expression(const std::string& text) {
  return expr::Expression::parse(text, expr::Dialect::python2, limits);
}

std::optional<Formula> Reader::read_expression(const Json& value, std::string attribute) {
  auto parsed = parse_expression(value.text);
  if (!parsed) {
    error(value.at, std::move(attribute),
          "found " + quote(value.text) + ", expected an expression: " + parsed.error().message());
    return std::nullopt;
  }
  return Formula{value.text, *std::move(parsed), {}, line(value.at), std::move(attribute)};
}

/// A JSON list is taken as it is; where it holds strings, the list of their values. The original
/// does not evaluate strings in lists (it fails on them), so this takes nothing away.
std::optional<Formula> Reader::read_list(const Json& value, std::string attribute) {
  expr::List literal;
  std::string text = "[";
  bool has_expressions = false;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    auto item = read_formula(value.items[i], join(attribute, i), Shape::number);
    if (!item) return std::nullopt;
    has_expressions |= item->expression.has_value();
    text += (i == 0 ? "" : ", ") +
            (item->expression ? item->expression->canonical() : item->literal.text());
    literal.push_back(std::move(item->literal));
  }
  text += "]";
  if (!has_expressions) {
    return Formula{std::move(text), std::nullopt, expr::Value(std::move(literal)), line(value.at),
                   std::move(attribute)};
  }
  warning(value.at, attribute,
          "found an expression inside a list, expected one string \"" + text +
              "\": only Kiln evaluates this");
  auto parsed = parse_expression(text);
  if (!parsed) {
    error(value.at, std::move(attribute), "found " + quote(text) + ": " + parsed.error().message());
    return std::nullopt;
  }
  return Formula{std::move(text), *std::move(parsed), {}, line(value.at), std::move(attribute)};
}

}  // namespace kiln::spec
