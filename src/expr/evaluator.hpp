#pragma once

#include "expr/budget.hpp"
#include "expr/tree.hpp"

namespace kiln::expr {

/// Runs a tree's instructions on a stack of values. One evaluator serves one evaluation: bodies
/// of defined functions run on the same stack and budget. It recurses only from a call into a
/// body, at most Limits::depth times, and never into a function that is already running.
class Evaluator {
 public:
  Evaluator(const Scope& scope, const Limits& limits) : scope_(scope), budget_(limits) {
    stack_.reserve(16);  // one allocation for nearly every expression
  }
  /// The value of the whole; errors name the column.
  Expected<Value> run(const Expression& expression);

 private:
  /// A call in progress: the parameters lie on the stack from `base` on.
  struct Frame {
    const Scope::Entry* function = nullptr;
    std::string_view name;
    std::size_t base = 0;
  };

  /// Runs one instruction; moves `next` where it jumps.
  Expected<void> step(const Expression& expression, const Instruction& at, std::size_t& next);

  Expected<void> push_constant(const Value& value);
  Expected<void> push_name(const std::string& name);
  Expected<void> make_list(std::size_t count);
  Expected<void> take_item();
  Expected<void> binary(Operator op, Dialect dialect);
  Expected<void> compare_top(const Instruction& at, std::size_t& next);
  void keep_or_drop(bool keep, const Instruction& at, std::size_t& next);

  Expected<void> call(const std::string& name, std::size_t count);
  Expected<Value> call_body(const std::string& name, const Scope::Entry& function,
                            std::size_t count);
  Error located(const Error& error, std::size_t column);

  Expected<void> replace(std::size_t count, Expected<Value> result);
  Value& top(std::size_t below = 0) { return stack_[stack_.size() - 1 - below]; }

  const Scope& scope_;
  Budget budget_;
  std::vector<Value> stack_;
  std::vector<Frame> frames_;
  bool is_located_ = false;  ///< an error in a body has its place already
};

}  // namespace kiln::expr
