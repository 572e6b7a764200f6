#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "expr/builtins.hpp"
#include "expr/message.hpp"
#include "expr/number_text.hpp"
#include "expr/operators.hpp"

namespace kiln::expr {
namespace {

using Arguments = std::span<const Value>;

tl::unexpected<Error> not_a_number(const Value& value) {
  return fail(Errc::bad_input, fmt::format("expected a number, found {}", value.type_name()));
}

/// Without the blanks around it and the sign before it, as int() and float() of Python take it.
std::string_view unsigned_part(std::string_view text, bool& negative) {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(blanks) + 1 - first);
  negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  return text;
}

/// Decimal digits only, as int() without a base; the sign decides how many values fit.
Expected<Value> read_integer(const std::string& text) {
  bool negative = false;
  std::string_view digits = unsigned_part(text, negative);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return fail(Errc::bad_input, shown(text) + " is not an integer");
  }
  std::uint64_t magnitude = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  const std::uint64_t most = (std::uint64_t{1} << 63) - (negative ? 0 : 1);
  if (read.ec != std::errc{} || magnitude > most) {
    return fail(Errc::bad_input, shown(text) + " does not fit 64 bits");
  }
  return Value(static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude));
}

/// Numbers, "inf", "infinity" and "nan" in any case.
Expected<Value> read_real(const std::string& text) {
  bool negative = false;
  std::string word(unsigned_part(text, negative));
  double value = 0;
  if (!read_number(word, value)) {
    for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    if (word == "inf" || word == "infinity") {
      value = std::numeric_limits<double>::infinity();
    } else if (word == "nan") {
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      return fail(Errc::bad_input, shown(text) + " is not a number");
    }
  }
  return Value(negative ? -value : value);
}

Expected<Value> absolute(Arguments values) {
  if (!values[0].is_number()) return not_a_number(values[0]);
  if (!values[0].is_integer()) return Value(std::fabs(double_of(values[0])));
  const std::int64_t integer = integer_of(values[0]);
  return integer < 0 ? negate(Value(integer)) : Value(integer);
}

/// int, round, ceil and floor differ only in how they round a double; integers pass unchanged.
Expected<Value> to_whole(const Value& value, double (*round)(double)) {
  if (!value.is_number()) return not_a_number(value);
  if (value.is_integer()) return Value(integer_of(value));
  const auto whole = truncated(round(double_of(value)));
  if (!whole) return tl::unexpected(whole.error());
  return Value(*whole);
}

/// Half to even whatever the rounding mode of the process, which std::nearbyint follows.
double to_even(double value) { return value - std::remainder(value, 1.0); }

Expected<Value> to_int(Arguments values) {
  const auto* const text = std::get_if<std::string>(&values[0].data());
  return text ? read_integer(*text) : to_whole(values[0], std::trunc);
}
Expected<Value> to_float(Arguments values) {
  if (const auto* const text = std::get_if<std::string>(&values[0].data())) return read_real(*text);
  return values[0].is_number() ? Expected<Value>(double_of(values[0])) : not_a_number(values[0]);
}
Expected<Value> ceiling(Arguments values) { return to_whole(values[0], std::ceil); }
Expected<Value> floor_of(Arguments values) { return to_whole(values[0], std::floor); }

Expected<Value> round_to(Arguments values) {
  if (values.size() == 1) return to_whole(values[0], to_even);
  if (!values[0].is_number()) return not_a_number(values[0]);
  if (!values[1].is_integer()) {
    return fail(Errc::bad_input,
                fmt::format("expected an integer of digits, found {}", values[1].type_name()));
  }
  return rounded(values[0], integer_of(values[1]));
}

Expected<Value> binary_logarithm(Arguments values) {
  if (!values[0].is_number()) return not_a_number(values[0]);
  const double value = double_of(values[0]);
  // nan passes this and gives nan, as in Python.
  if (value <= 0) {
    return fail(Errc::bad_input, "expected a positive number, found " + values[0].text());
  }
  return Value(std::log2(value));
}

Expected<Value> square_root(Arguments values) {
  if (!values[0].is_number()) return not_a_number(values[0]);
  const double value = double_of(values[0]);
  if (value < 0) {
    return fail(Errc::bad_input, "expected no negative number, found " + values[0].text());
  }
  return Value(std::sqrt(value));
}

constexpr Builtin table[] = {{"abs", 1, 1, absolute},          {"int", 1, 1, to_int},
                             {"float", 1, 1, to_float},        {"round", 1, 2, round_to},
                             {"ceil", 1, 1, ceiling},          {"floor", 1, 1, floor_of},
                             {"log2", 1, 1, binary_logarithm}, {"sqrt", 1, 1, square_root}};

}  // namespace

std::span<const Builtin> number_builtins() { return table; }

}  // namespace kiln::expr
