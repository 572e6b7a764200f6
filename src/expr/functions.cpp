// The functions that every Scope starts with, all as Python 3's in both dialects.
#include "expr/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/data/text.hpp"
#include "expr/arithmetic.hpp"
#include "expr/operators.hpp"
#include "expr/text.hpp"

namespace kiln::expr {
namespace {

using Arguments = std::span<const Value>;

tl::unexpected<Error> no_number(const Value& value) {
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
  const std::string word = lower(unsigned_part(text, negative));
  double value = 0;
  if (word == "inf" || word == "infinity")
    value = std::numeric_limits<double>::infinity();
  else if (word == "nan")
    value = std::numeric_limits<double>::quiet_NaN();
  else if (!read_number(word, value))
    return fail(Errc::bad_input, shown(text) + " is not a number");
  return Value(negative ? -value : value);
}

Expected<Value> absolute(Arguments values) {
  if (!values[0].is_number()) return no_number(values[0]);
  if (!values[0].is_integer()) return Value(std::fabs(double_of(values[0])));
  const std::int64_t integer = integer_of(values[0]);
  return integer < 0 ? negate(Value(integer)) : Value(integer);
}

/// int, round, ceil and floor differ only in how they round a double; integers pass unchanged.
Expected<Value> to_whole(const Value& value, double (*round)(double)) {
  if (!value.is_number()) return no_number(value);
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
  return values[0].is_number() ? Expected<Value>(double_of(values[0])) : no_number(values[0]);
}
Expected<Value> ceiling(Arguments values) { return to_whole(values[0], std::ceil); }
Expected<Value> floor_of(Arguments values) { return to_whole(values[0], std::floor); }

Expected<Value> round_to(Arguments values) {
  if (values.size() == 1) return to_whole(values[0], to_even);
  if (!values[0].is_number()) return no_number(values[0]);
  if (!values[1].is_integer()) {
    return fail(Errc::bad_input,
                fmt::format("expected an integer of digits, found {}", values[1].type_name()));
  }
  return rounded(values[0], integer_of(values[1]));
}

Expected<Value> binary_logarithm(Arguments values) {
  if (!values[0].is_number()) return no_number(values[0]);
  const double value = double_of(values[0]);
  // nan passes this and gives nan, as in Python.
  if (value <= 0) {
    return fail(Errc::bad_input, "expected a positive number, found " + values[0].text());
  }
  return Value(std::log2(value));
}

Expected<Value> square_root(Arguments values) {
  if (!values[0].is_number()) return no_number(values[0]);
  const double value = double_of(values[0]);
  if (value < 0) {
    return fail(Errc::bad_input, "expected no negative number, found " + values[0].text());
  }
  return Value(std::sqrt(value));
}

/// The first of the least, by `op`; of one list's items, or of the arguments themselves.
Expected<Value> extreme(Comparison op, Arguments values) {
  if (values.size() == 1) {
    const auto* const list = std::get_if<List>(&values.front().data());
    if (!list) {
      return fail(Errc::bad_input, fmt::format("expected a list or several values, found one {}",
                                               values.front().type_name()));
    }
    if (list->empty()) return fail(Errc::bad_input, "expected items, found an empty list");
    values = *list;
  }
  const Value* best = &values.front();
  for (const Value& value : values.subspan(1)) {
    const auto better = compare(op, value, *best);
    if (!better) return better;
    if (better->truth()) best = &value;
  }
  return *best;
}

Expected<Value> least(Arguments values) { return extreme(Comparison::less, values); }
Expected<Value> greatest(Arguments values) { return extreme(Comparison::greater, values); }

Expected<Value> length(Arguments values) {
  if (const auto* const list = std::get_if<List>(&values[0].data())) {
    return Value(static_cast<std::int64_t>(list->size()));
  }
  if (const auto* const text = std::get_if<std::string>(&values[0].data())) {
    return Value(static_cast<std::int64_t>(count_characters(*text)));
  }
  return fail(Errc::bad_input,
              fmt::format("expected a list or a string, found {}", values[0].type_name()));
}

/// Of numbers only: joining lists this way would cost the square of their length.
Expected<Value> sum(Arguments values) {
  const auto* const list = std::get_if<List>(&values[0].data());
  if (!list) {
    return fail(Errc::bad_input, fmt::format("expected a list, found {}", values[0].type_name()));
  }
  Budget unused{Limits{}};  // numbers cost nothing
  Expected<Value> total = values.size() > 1 ? values[1] : Value(0);
  if (!total->is_number()) return wrong_types("+", *total, Value(0));
  for (const Value& item : *list) {
    if (!item.is_number()) return wrong_types("+", *total, item);
    total = apply(Operator::add, *total, item, Dialect::python3, unused);
    if (!total) return total;
  }
  return total;
}

/// Of arguments: the evaluator's own limits bound them.
constexpr std::size_t any = static_cast<std::size_t>(-1);
constexpr Builtin table[] = {{"min", 1, any, least, OnIntegers::least},
                             {"max", 1, any, greatest, OnIntegers::greatest},
                             {"len", 1, 1, length},
                             {"sum", 1, 2, sum},
                             {"abs", 1, 1, absolute, OnIntegers::magnitude},
                             {"int", 1, 1, to_int, OnIntegers::itself},
                             {"float", 1, 1, to_float},
                             {"round", 1, 2, round_to},
                             {"ceil", 1, 1, ceiling},
                             {"floor", 1, 1, floor_of},
                             {"log2", 1, 1, binary_logarithm},
                             {"sqrt", 1, 1, square_root}};

}  // namespace

std::span<const Builtin> builtins() { return table; }

OnIntegers on_integers(std::string_view function, std::size_t arguments) {
  const auto* const found = std::ranges::find(table, function, &Builtin::name);
  const bool fits =
      found != std::end(table) && arguments >= found->least && arguments <= found->most;
  return fits ? found->on_integers : OnIntegers::unknown;
}

}  // namespace kiln::expr
