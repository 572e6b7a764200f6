#pragma once

#include <compare>

#include "expr/tree.hpp"

/// Python's operators on values of any type, and the budget that bounds what they may make. Errors
/// say what went wrong, not where: the evaluator adds the column.
namespace kiln::expr {

/// How large a value is, all nested lists included.
struct Extent {
  std::size_t items = 0;    ///< of lists
  std::size_t bytes = 0;    ///< of strings
  std::size_t nesting = 0;  ///< 0 for anything but a list
};
Extent extent_of(const Value& value);

/// What one evaluation may still spend. Time and memory both grow only by what is asked for here
/// first, so a short text cannot make a long run or a huge value.
class Budget {
 public:
  explicit Budget(const Limits& limits) : limits_(limits) {}

  const Limits& limits() const { return limits_; }
  Expected<void> spend(std::size_t steps);
  /// For reading or copying a value.
  Expected<void> spend_on(const Value& value);
  /// For making a value of this extent, `times` over; checks its bounds.
  Expected<void> make(const Extent& extent, std::size_t times = 1);

 private:
  Limits limits_;
  std::size_t spent_ = 0;
};

Expected<Value> apply(Operator op, const Value& left, const Value& right, Dialect dialect,
                      Budget& budget);
Expected<Value> compare(Comparison op, const Value& left, const Value& right);
Expected<Value> negate(const Value& operand);
Expected<Value> plus(const Value& operand);
/// sequence[position]; a negative position counts from the end.
Expected<Value> item_of(const Value& sequence, const Value& position);

/// Python's ==: numbers by value whatever their types, different kinds never equal.
bool equal(const Value& left, const Value& right);

/// What a comparison says of two operands in that order. Of nan, whose order with anything is none,
/// every one but != is false.
inline bool holds(Comparison op, std::partial_ordering ordering) {
  switch (op) {
    case Comparison::less:
      return ordering < 0;
    case Comparison::less_equal:
      return ordering <= 0;
    case Comparison::greater:
      return ordering > 0;
    case Comparison::greater_equal:
      return ordering >= 0;
    case Comparison::equal:
      return ordering == 0;
    default:
      return ordering != 0;
  }
}

/// The error for operand types that an operator does not take.
tl::unexpected<Error> wrong_types(const char* op, const Value& left, const Value& right);

}  // namespace kiln::expr
