// What a Value says of itself; its operators are in operators.cpp.
#include <fmt/format.h>

#include "expr/arithmetic.hpp"
#include "expr/operators.hpp"
#include "expr/text.hpp"

namespace kiln::expr {
namespace {

tl::unexpected<Error> not_a_number(const Value& value) {
  const auto* const text = std::get_if<std::string>(&value.data());
  return fail(Errc::bad_input, text ? "expected a number, found " + shown(*text)
                                    : std::string("expected a number, found a list"));
}

/// Recurses as deep as lists nest, which evaluation bounds.
void append_text(std::string& to, const Value& value) {
  if (const auto* const list = std::get_if<List>(&value.data())) {
    to += '[';
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (i > 0) to += ", ";
      append_text(to, (*list)[i]);
    }
    to += ']';
  } else if (const auto* const text = std::get_if<std::string>(&value.data())) {
    to += string_text(*text);
  } else if (const auto* const real = std::get_if<double>(&value.data())) {
    to += number_text(*real);
  } else if (const auto* const truth = std::get_if<bool>(&value.data())) {
    to += *truth ? "True" : "False";
  } else {
    to += std::to_string(std::get<std::int64_t>(value.data()));
  }
}

}  // namespace

bool Value::is_integer() const {
  return std::holds_alternative<std::int64_t>(data_) || std::holds_alternative<bool>(data_);
}
bool Value::is_number() const { return is_integer() || std::holds_alternative<double>(data_); }
bool Value::is_list() const { return std::holds_alternative<List>(data_); }
bool Value::is_string() const { return std::holds_alternative<std::string>(data_); }

Expected<std::int64_t> Value::to_integer() const {
  if (is_integer()) return integer_of(*this);
  if (is_number()) return truncated(double_of(*this));
  return not_a_number(*this);
}

Expected<double> Value::to_double() const {
  if (is_number()) return double_of(*this);
  return not_a_number(*this);
}

bool Value::truth() const {
  if (const auto* const list = std::get_if<List>(&data_)) return !list->empty();
  if (const auto* const text = std::get_if<std::string>(&data_)) return !text->empty();
  return double_of(*this) != 0;  // rounding an integer never makes it 0
}

const char* Value::type_name() const {
  // In the order of Value::Data.
  constexpr const char* names[] = {"bool", "int", "float", "str", "list"};
  return names[data_.index()];
}

std::string Value::text() const {
  std::string text;
  append_text(text, *this);
  return text;
}

bool Value::operator==(const Value& other) const { return equal(*this, other); }

}  // namespace kiln::expr
