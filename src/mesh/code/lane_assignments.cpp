// What changes variables, for the elements that are here.
#include <clang-c/Index.h>
#include <fmt/format.h>

#include "mesh/code/lane_writer.hpp"

namespace kiln::mesh {
namespace {

/// Whether an expression may be written twice.
bool is_repeatable(const Node& node) {
  bool repeatable = node.kind != CXCursor_CallExpr && !is_assignment(node) && !steps(node);
  for (const auto& child : node.children) repeatable = repeatable && is_repeatable(child);
  return repeatable;
}

}  // namespace

/// The variable that an lvalue is part of, or -1 where it lies behind a pointer.
int LaneWriter::base(const Node& node) const {
  if (passes_on(node) || (node.kind == CXCursor_ArraySubscriptExpr && !node.children.empty()))
    return base(passes_on(node) ? node.children.back() : node.children[0]);
  if (node.kind != CXCursor_DeclRefExpr || node.declaration < 0) return -1;
  const auto& named = syntax_.declarations[static_cast<std::size_t>(node.declaration)];
  const bool is_itself =
      named.type.depth == 0 || (named.type.array && named.kind == Declaration::Kind::variable);
  return is_itself ? node.declaration : -1;
}

/// Whether elements that are not here see a variable later.
bool LaneWriter::outlives(int declaration) const {
  const auto home = homes_.find(declaration);
  return home == homes_.end() || home->second.level < level_;
}

/// Whole numbers and pointers are the same for all elements that use them: where only some are,
/// none may change that the others see later.
void LaneWriter::check_uniform_change(int declaration, const Node& node) {
  if (!is_masked()) return;
  if (declaration >= 0 && !outlives(declaration)) return;
  // One that counts the rounds of a loop, unused behind it: who has left does not see it.
  const auto home = homes_.find(declaration);
  if (declaration >= 0 && home != homes_.end() && !loops_.empty()) {
    const Loop& inner = loops_.back();
    if (!inner.is_switch && inner.control.parts && inner.level == level_ &&
        home->second.level == level_ - 1 && home->second.loops + 1 == loops_.size() &&
        last_mentions_[declaration] < inner.end)
      return;
  }
  refuse(node.begin, "an integer or pointer that changes for some elements only");
}

/// What stands behind an assignment's operator, as a vector of a type if one is given.
std::string LaneWriter::assigned(const Node& node, std::optional<ScalarType> type) {
  const Node &left = node.children[0], &right = node.children[1];
  if (!fits(right, left.end, node.end)) return refuse(node.begin, "an assignment beside a macro");
  return "(" + (type ? as_vector(right, *type) : expression(right)) + ")";
}

std::string LaneWriter::assignment(const Node& node) {
  if (node.children.size() != 2 || !node.operation.ends_with('='))
    return refuse(node.begin, "an operator beside a macro");
  if (may_not_assign_) return refuse(node.begin, "an assignment within a condition");
  const Node &left = node.children[0], &right = node.children[1];
  const bool real = is_real(left.type);
  if (!real) {
    if (left.type.depth == 0 && is_wide(syntax_, right)) return refuse(node.begin, from_real);
    // A pointer is itself what changes, not what it points to.
    const Node& named = core(left);
    check_uniform_change(
        left.type.depth > 0 && named.kind == CXCursor_DeclRefExpr ? named.declaration : base(left),
        node);
    return within(node);
  }
  const bool masks = is_masked() && outlives(base(left));
  const bool is_compound = node.kind == CXCursor_CompoundAssignOperator;
  const bool mixes = is_compound && is_real(right.type) && right.type.scalar != left.type.scalar;
  if (!masks && !mixes) return within(node);
  if (!fits(left, node.begin, node.end)) return refuse(node.begin, "an assignment beside a macro");
  if (!is_repeatable(left)) return refuse(left.begin, "a target that changes as it is used");
  const ScalarType type = *left.type.scalar;
  const std::string target = expression(left);
  std::string value = assigned(node, is_compound ? std::nullopt : std::optional(type));
  if (is_compound) {
    const std::string operation = node.operation.substr(0, node.operation.size() - 1);
    value = mixes ? fmt::format("convert_{}(convert_{}({}) {} {})", vector(type),
                                vector(*right.type.scalar), target, operation, value)
                  : fmt::format("({} {} {})", target, operation, value);
  }
  const std::string lines = breaks(left.end, right.begin);
  if (!masks) return fmt::format("({} = {}{})", target, lines, value);
  return fmt::format("({0} = {3}{1} ? {2} : {0})", target, mask_for(type, mask(level_)), value,
                     lines);
}

/// ++ and --, of a real number as if in front of it.
std::string LaneWriter::step_by_one(const Node& node) {
  if (node.children.size() != 1) return refuse(node.begin, "an operator beside a macro");
  if (may_not_assign_) return refuse(node.begin, "an assignment within a condition");
  const Node& target = node.children[0];
  if (!is_real(target.type)) {
    const Node& named = core(target);
    check_uniform_change(target.type.depth > 0 && named.kind == CXCursor_DeclRefExpr
                             ? named.declaration
                             : base(target),
                         node);
    return within(node);
  }
  if (!fits(target, node.begin, node.end) || !is_repeatable(target))
    return refuse(node.begin, "a step beside a macro");
  const ScalarType type = *target.type.scalar;
  const std::string place = expression(target);
  std::string value = fmt::format("({} {} 1)", place, node.operation[0]);
  if (is_masked() && outlives(base(target)))
    value = fmt::format("({} ? {} : {})", mask_for(type, mask(level_)), value, place);
  return fmt::format("({} = {})", place, value);
}

}  // namespace kiln::mesh
