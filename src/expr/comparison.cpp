#include <algorithm>
#include <cmath>
#include <compare>
#include <cstring>

#include "expr/operators.hpp"

namespace kiln::expr {
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

/// With nan all four are false, which an unordered result gives by itself.
bool holds(Comparison op, std::partial_ordering ordering) {
  switch (op) {
    case Comparison::less:
      return ordering < 0;
    case Comparison::less_equal:
      return ordering <= 0;
    case Comparison::greater:
      return ordering > 0;
    default:
      return ordering >= 0;
  }
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

}  // namespace kiln::expr
