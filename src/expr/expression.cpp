// How an expression is evaluated: a stack machine over the instructions of its tree.
#include <fmt/format.h>

#include <algorithm>

#include "expr/operators.hpp"
#include "expr/text.hpp"
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

/// Each instruction costs a step before it runs. The code leaves exactly one value above what lay
/// on the stack before, whichever way its jumps went.
Expected<Value> Evaluator::run(const Expression& expression) {
  const auto& code = expression.tree_->code;
  for (std::size_t next = 0; next < code.size();) {
    const Instruction& at = code[next++];
    auto done = budget_.spend(1);
    if (done) done = step(expression, at, next);
    if (!done) return tl::unexpected(located(done.error(), at.column));
  }
  Value result = std::move(stack_.back());
  stack_.pop_back();
  return result;
}

/// Every kind of instruction in one place; all but the simplest have a method of their own.
Expected<void> Evaluator::step(const Expression& expression, const Instruction& at,
                               std::size_t& next) {
  const Expression::Tree& tree = *expression.tree_;
  switch (at.op) {
    case Op::constant:
      return push_constant(tree.constants[at.index]);
    case Op::name:
      return push_name(tree.names[at.index]);
    case Op::list:
      return make_list(at.count);
    case Op::call:
      return call(tree.names[at.index], at.count);
    case Op::index:
      return take_item();
    case Op::negate:
      return replace(1, negate(top()));
    case Op::plus:
      return replace(1, plus(top()));
    case Op::invert:
      return replace(1, Value(!top().truth()));
    case Op::binary:
      return binary(at.binary, expression.dialect_);
    case Op::compare:
      return compare_top(at, next);
    case Op::jump_if_false:
      keep_or_drop(!top().truth(), at, next);
      return {};
    case Op::jump_if_true:
      keep_or_drop(top().truth(), at, next);
      return {};
    case Op::branch:
      if (!top().truth()) next = at.target;
      stack_.pop_back();
      return {};
    case Op::jump:
      next = at.target;
      return {};
    case Op::both:
    case Op::either:
    case Op::choose:
      return {};
  }
  return {};
}

/// A copy, paid for: a large list in a scope would otherwise cost one step however often it is
/// read.
Expected<void> Evaluator::push_constant(const Value& value) {
  if (auto paid = budget_.spend_on(value); !paid) return paid;
  stack_.push_back(value);
  return {};
}

/// A parameter of the running function, else a name of the scope.
Expected<void> Evaluator::push_name(const std::string& name) {
  if (!frames_.empty()) {
    const Frame& frame = frames_.back();
    const auto& parameters = frame.function->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i] != name) continue;
      const Value parameter = stack_[frame.base + i];  // a copy: pushing may move the stack
      return push_constant(parameter);
    }
  }
  if (const Value* const value = scope_.find(name)) return push_constant(*value);
  // A frequent slip, and the nearest names would only mislead.
  if (scope_.has_function(name)) {
    return fail(Errc::bad_input, shown(name) + " is a function; write " + name + "(…)");
  }
  return fail(Errc::bad_input, "unknown name " + shown(name) + suggestion(name, scope_.names()));
}

/// The items lie on the stack in order. Bounds are checked after the move, which allocates no
/// more than the items already took.
Expected<void> Evaluator::make_list(std::size_t count) {
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  Value list(List(std::make_move_iterator(first), std::make_move_iterator(stack_.end())));
  if (auto paid = budget_.make(extent_of(list)); !paid) return paid;
  return replace(count, std::move(list));
}

Expected<void> Evaluator::take_item() {
  if (auto paid = budget_.spend_on(top(1)); !paid) return paid;
  return replace(2, item_of(top(1), top()));
}

Expected<void> Evaluator::binary(Operator op, Dialect dialect) {
  return replace(2, apply(op, top(1), top(), dialect, budget_));
}

/// In a chain a false link is the result and leaves it; a true one keeps its right operand, so
/// that it is evaluated once for both its neighbours.
Expected<void> Evaluator::compare_top(const Instruction& at, std::size_t& next) {
  for (const Value* const operand : {&top(1), &top()}) {
    if (auto paid = budget_.spend_on(*operand); !paid) return paid;
  }
  auto result = compare(at.comparison, top(1), top());
  if (!result || at.chain_ends) return replace(2, std::move(result));
  if (!result->truth()) {
    next = at.target;
    return replace(2, std::move(result));
  }
  top(1) = std::move(top());  // the right operand is the left one of the chain's next link
  stack_.pop_back();
  return {};
}

/// `and` and `or` give back one of their operands, not its truth.
void Evaluator::keep_or_drop(bool keep, const Instruction& at, std::size_t& next) {
  if (keep) {
    next = at.target;
  } else {
    stack_.pop_back();
  }
}

/// Functions of C++ see their arguments where they lie, without a copy. Their results are checked
/// like any other value: they may come from outside.
Expected<void> Evaluator::call(const std::string& name, std::size_t count) {
  const auto found = scope_.functions_.find(name);
  if (found == scope_.functions_.end()) {
    if (scope_.find(name))
      return fail(Errc::bad_input, shown(name) + " is a value, not a function");
    return fail(Errc::bad_input,
                "unknown function " + shown(name) + suggestion(name, scope_.functions()));
  }
  const Scope::Entry& function = *found->second;
  if (count < function.least || count > function.most) {
    const bool least = count < function.least;
    const std::size_t bound = least ? function.least : function.most;
    const char* const kind = function.least == function.most ? ""
                             : least                         ? "at least "
                                                             : "at most ";
    return fail(Errc::bad_input, fmt::format("{} takes {}{} argument{}, found {}", name, kind,
                                             bound, bound == 1 ? "" : "s", count));
  }
  if (function.body) return replace(count, call_body(name, function, count));
  auto result = function.call(std::span<const Value>(stack_).last(count));
  if (!result) {
    return fail(result.error().code(), fmt::format("{}: {}", name, result.error().message()));
  }
  if (auto paid = budget_.make(extent_of(*result)); !paid) return paid;
  return replace(count, std::move(result));
}

/// Runs the body above its arguments. A function that is already running is refused: with no
/// recursion, every evaluation ends, and the native stack holds one frame a function.
Expected<Value> Evaluator::call_body(const std::string& name, const Scope::Entry& function,
                                     std::size_t count) {
  for (const Frame& frame : frames_) {
    if (frame.function == &function) {
      return fail(Errc::bad_input, name + " calls itself: functions may not recurse");
    }
  }
  if (frames_.size() >= budget_.limits().depth) {
    return fail(Errc::bad_input,
                fmt::format("calls nested deeper than {} levels", budget_.limits().depth));
  }
  frames_.push_back({&function, name, stack_.size() - count});
  auto result = run(*function.body);
  frames_.pop_back();
  return result;
}

/// Puts the place before a message: the column of the text that the user gave comes first, and
/// where a function's body failed, the innermost one and the column there.
Error Evaluator::located(const Error& error, std::size_t column) {
  const std::string place = fmt::format("column {}: {}", column, error.message());
  if (frames_.empty()) return {error.code(), place};
  if (is_located_) return error;
  is_located_ = true;
  return {error.code(), fmt::format("in {}, {}", frames_.back().name, place)};
}

/// Replaces the operands by the result. An error leaves the stack as it is: the evaluation ends.
Expected<void> Evaluator::replace(std::size_t count, Expected<Value> result) {
  if (!result) return tl::unexpected(std::move(result).error());
  stack_.resize(stack_.size() - count);
  stack_.push_back(std::move(*result));
  return {};
}

namespace {

/// The parser recurses per level, and a thread's stack may be small.
constexpr std::size_t deepest = 1000;

/// The names that instructions of one kind use.
std::vector<std::string> names_of(const Expression::Tree* tree, Op op) {
  std::vector<std::string> names;
  if (tree == nullptr) return names;  // of an expression that was moved from
  for (const Instruction& instruction : tree->code) {
    if (instruction.op == op) names.push_back(tree->names[instruction.index]);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Expression::Expression(std::shared_ptr<const Tree> tree, Dialect dialect, Limits limits)
    : tree_(std::move(tree)), dialect_(dialect), limits_(limits) {}

Expected<Expression> Expression::parse(std::string_view text, Dialect dialect, Limits limits) {
  // Checked here and not where they are set, as Limits is plain data. Columns and counts are kept
  // in 32 bits.
  limits.text_bytes = std::min<std::size_t>(limits.text_bytes, 0x7FFFFFFF);
  limits.depth = std::min(limits.depth, deepest);
  if (text.size() > limits.text_bytes) {
    return fail_at(limits.text_bytes + 1, fmt::format("the text has {} bytes, at most {} are read",
                                                      text.size(), limits.text_bytes));
  }
  auto tree = parse_tree(text, dialect, limits);
  if (!tree) return tl::unexpected(tree.error());
  return Expression(std::move(*tree), dialect, limits);
}

Expected<Value> Expression::evaluate(const Scope& scope) const {
  if (!tree_) return fail(Errc::bad_input, "the expression was moved from");
  return Evaluator(scope, limits_).run(*this);
}

std::string Expression::canonical() const { return tree_ ? canonical_text(*tree_) : ""; }

std::vector<std::string> Expression::free_names() const { return names_of(tree_.get(), Op::name); }

std::vector<std::string> Expression::called_functions() const {
  return names_of(tree_.get(), Op::call);
}

Dialect Expression::dialect() const { return dialect_; }

}  // namespace kiln::expr
