#pragma once

#include "kiln/expr.hpp"

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

}  // namespace kiln::expr
