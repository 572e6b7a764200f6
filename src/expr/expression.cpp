#include <fmt/format.h>

#include <algorithm>

#include "expr/evaluator.hpp"
#include "expr/message.hpp"
#include "expr/parser.hpp"

namespace kiln::expr {
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
  auto tree = Parser(text, dialect, limits).parse();
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
