#include "expr/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "expr/arithmetic.hpp"
#include "expr/text.hpp"

namespace kiln::expr {
namespace {

/// A step is about what an instruction costs: copying 4 items or 64 bytes takes no longer.
constexpr std::size_t items_a_step = 4, bytes_a_step = 64;

/// Saturates: a product that overflows is past every bound anyway.
std::size_t multiplied(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? static_cast<std::size_t>(-1) : product;
}

}  // namespace

Extent extent_of(const Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value.data())) return {0, text->size(), 0};
  const auto* const list = std::get_if<List>(&value.data());
  if (!list) return {};
  Extent extent{list->size(), 0, 1};
  for (const Value& item : *list) {
    const Extent inner = extent_of(item);
    extent.items += inner.items;
    extent.bytes += inner.bytes;
    extent.nesting = std::max(extent.nesting, inner.nesting + 1);
  }
  return extent;
}

Expected<void> Budget::spend(std::size_t steps) {
  if (steps > limits_.steps - spent_) {
    return fail(Errc::bad_input,
                fmt::format("the evaluation takes more than {} steps", limits_.steps));
  }
  spent_ += steps;
  return {};
}

Expected<void> Budget::spend_on(const Value& value) {
  if (value.is_number()) return {};  // nearly every value: no walk, no arithmetic
  const Extent extent = extent_of(value);
  return spend(extent.items / items_a_step + extent.bytes / bytes_a_step);
}

/// Bounds before steps, so that an absurd size is named as such.
Expected<void> Budget::make(const Extent& extent, std::size_t times) {
  const std::size_t items = multiplied(extent.items, times);
  const std::size_t bytes = multiplied(extent.bytes, times);
  const auto refuse = [](const char* what, std::size_t bound) {
    return fail(Errc::bad_input, fmt::format(fmt::runtime(what), bound));
  };
  if (items > limits_.list_items) return refuse("a list of more than {} items", limits_.list_items);
  if (bytes > limits_.string_bytes) {
    return refuse("a string of more than {} bytes", limits_.string_bytes);
  }
  if (extent.nesting > limits_.depth) {
    return refuse("a list nested deeper than {} levels", limits_.depth);
  }
  return spend(items / items_a_step + bytes / bytes_a_step);
}

tl::unexpected<Error> wrong_types(const char* op, const Value& left, const Value& right) {
  return fail(Errc::bad_input,
              fmt::format("'{}' does not take {} and {}", op, left.type_name(), right.type_name()));
}

namespace {

/// Callers have paid for the whole, so one allocation of that size is harmless.
template <class Sequence>
Sequence repeated(const Sequence& part, std::size_t times) {
  Sequence whole;
  whole.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

template <class Sequence>
Sequence joined(const Sequence& first, const Sequence& second) {
  Sequence whole;
  whole.reserve(first.size() + second.size());
  whole.insert(whole.end(), first.begin(), first.end());
  whole.insert(whole.end(), second.begin(), second.end());
  return whole;
}

/// Two strings or two lists, which the caller has checked.
Expected<Value> concatenate(const Value& left, const Value& right, Budget& budget) {
  Extent extent = extent_of(left);
  const Extent added = extent_of(right);
  extent.items += added.items;
  extent.bytes += added.bytes;
  if (auto paid = budget.make(extent); !paid) return tl::unexpected(paid.error());
  if (left.is_string()) {
    return Value(joined(std::get<std::string>(left.data()), std::get<std::string>(right.data())));
  }
  return Value(joined(std::get<List>(left.data()), std::get<List>(right.data())));
}

/// A negative count gives an empty sequence, as in Python.
Expected<Value> repeat(const Value& sequence, std::int64_t times, Budget& budget) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, times));
  const Extent extent = extent_of(sequence);
  if (auto paid = budget.make(extent, count); !paid) return tl::unexpected(paid.error());
  // An empty sequence stays empty however often: no loop over a count that nothing pays for.
  const bool empty = extent.items + extent.bytes == 0;
  if (sequence.is_string()) {
    return Value(repeated(std::get<std::string>(sequence.data()), empty ? 0 : count));
  }
  return Value(repeated(std::get<List>(sequence.data()), empty ? 0 : count));
}

/// What is not arithmetic: joining and repeating. Equal indices mean equal types.
Expected<Value> sequences(Operator op, const Value& left, const Value& right, Budget& budget) {
  if (op == Operator::add && left.data().index() == right.data().index()) {
    return concatenate(left, right, budget);
  }
  if (op == Operator::multiply && right.is_integer()) {
    return repeat(left, integer_of(right), budget);
  }
  if (op == Operator::multiply && left.is_integer()) {
    return repeat(right, integer_of(left), budget);
  }
  return wrong_types(spelling(op), left, right);
}

}  // namespace

Expected<Value> apply(Operator op, const Value& left, const Value& right, Dialect dialect,
                      Budget& budget) {
  if (!left.is_number() || !right.is_number()) return sequences(op, left, right, budget);
  if (op == Operator::power) return power(left, right);
  if (left.is_integer() && right.is_integer()) {
    return of_integers(op, integer_of(left), integer_of(right), dialect);
  }
  return of_doubles(op, double_of(left), double_of(right));
}

Expected<Value> negate(const Value& operand) {
  if (!operand.is_number()) {
    return fail(Errc::bad_input, fmt::format("'-' does not take {}", operand.type_name()));
  }
  if (!operand.is_integer()) return Value(-double_of(operand));
  const std::int64_t integer = integer_of(operand);
  if (integer == std::numeric_limits<std::int64_t>::min()) {
    return fail(Errc::bad_input, fmt::format("-({}) does not fit 64 bits", integer));
  }
  return Value(-integer);
}

Expected<Value> plus(const Value& operand) {
  if (!operand.is_number()) {
    return fail(Errc::bad_input, fmt::format("'+' does not take {}", operand.type_name()));
  }
  // +True is the integer 1.
  return operand.is_integer() ? Value(integer_of(operand)) : operand;
}

namespace {

/// Exact: converting the integer would round it where it has more than 53 bits.
std::partial_ordering against_double(std::int64_t integer, double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (real >= 0x1p63) return std::partial_ordering::less;
  if (real < -0x1p63) return std::partial_ordering::greater;
  const double whole = std::trunc(real);
  const auto ordering = integer <=> static_cast<std::int64_t>(whole);
  return ordering != 0 ? ordering : 0.0 <=> (real - whole);
}

/// Same kinds directly; a bool is an integer.
std::partial_ordering order_numbers(const Value& left, const Value& right) {
  if (left.is_integer() && right.is_integer()) return integer_of(left) <=> integer_of(right);
  if (left.is_integer()) return against_double(integer_of(left), double_of(right));
  if (!right.is_integer()) return double_of(left) <=> double_of(right);
  const auto swapped = against_double(integer_of(right), double_of(left));
  if (swapped == std::partial_ordering::less) return std::partial_ordering::greater;
  if (swapped == std::partial_ordering::greater) return std::partial_ordering::less;
  return swapped;
}

/// Linear in time, which std::string::find is not on a hostile pair.
bool contains_text(const std::string& text, const std::string& part) {
  return part.empty() || memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

/// Items of a list by ==, parts of a string by their bytes: UTF-8 never matches in mid-character.
Expected<Value> contains(Comparison op, const Value& item, const Value& container) {
  const bool wanted = op == Comparison::in;
  if (const auto* const list = std::get_if<List>(&container.data())) {
    const bool found = std::any_of(list->begin(), list->end(),
                                   [&item](const Value& each) { return equal(each, item); });
    return Value(found == wanted);
  }
  if (!container.is_string() || !item.is_string()) {
    return wrong_types(spelling(op), item, container);
  }
  return Value(contains_text(std::get<std::string>(container.data()),
                             std::get<std::string>(item.data())) == wanted);
}

/// The first pair of unequal items decides; without one, the lengths do. A loop, not a recursion:
/// each round goes one level into the lists.
Expected<Value> order(Comparison op, const Value* left, const Value* right) {
  while (left->is_list() && right->is_list()) {
    const List& a = std::get<List>(left->data());
    const List& b = std::get<List>(right->data());
    const std::size_t both = std::min(a.size(), b.size());
    std::size_t first = 0;
    while (first < both && equal(a[first], b[first])) ++first;
    if (first == both) return Value(holds(op, a.size() <=> b.size()));
    left = &a[first];
    right = &b[first];
  }
  if (left->is_number() && right->is_number())
    return Value(holds(op, order_numbers(*left, *right)));
  if (!left->is_string() || !right->is_string()) return wrong_types(spelling(op), *left, *right);
  // The order of UTF-8 bytes is the order of the characters.
  const int ordering =
      std::get<std::string>(left->data()).compare(std::get<std::string>(right->data()));
  return Value(holds(op, ordering <=> 0));
}

}  // namespace

bool equal(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return order_numbers(left, right) == 0;
  if (left.data().index() != right.data().index()) return false;
  if (const auto* const text = std::get_if<std::string>(&left.data())) {
    return *text == std::get<std::string>(right.data());
  }
  const List& a = std::get<List>(left.data());
  const List& b = std::get<List>(right.data());
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

Expected<Value> compare(Comparison op, const Value& left, const Value& right) {
  switch (op) {
    case Comparison::equal:
      return Value(equal(left, right));
    case Comparison::not_equal:
      return Value(!equal(left, right));
    case Comparison::in:
    case Comparison::not_in:
      return contains(op, left, right);
    default:
      return order(op, &left, &right);
  }
}

Expected<Value> item_of(const Value& sequence, const Value& position) {
  const auto* const text = std::get_if<std::string>(&sequence.data());
  const auto* const list = std::get_if<List>(&sequence.data());
  if (!text && !list) {
    return fail(Errc::bad_input, fmt::format("{} has no items to index", sequence.type_name()));
  }
  if (!position.is_integer()) {
    return fail(Errc::bad_input,
                fmt::format("an index is an integer, found {}", position.type_name()));
  }
  const auto size = static_cast<std::int64_t>(list ? list->size() : count_characters(*text));
  const std::int64_t written = integer_of(position);
  const std::int64_t at = written < 0 ? written + size : written;
  if (at < 0 || at >= size) {
    return fail(Errc::bad_input,
                fmt::format("index {} is outside a {} of {}", written, sequence.type_name(), size));
  }
  const auto offset = static_cast<std::size_t>(at);
  return list ? (*list)[offset] : Value(std::string(nth_character(*text, offset)));
}

}  // namespace kiln::expr
