#include "mesh/code/lane_risks.hpp"

#include <clang-c/Index.h>

#include <algorithm>

#include "mesh/code/lane_facts.hpp"
#include "mesh/code/user_text.hpp"

namespace kiln::mesh {
namespace {

bool is_literal(const Node& node) {
  const Node& value = core(node);
  return value.kind == CXCursor_IntegerLiteral ||
         (value.kind == CXCursor_UnaryOperator && value.operation == "-" &&
          is_literal(value.children[0]));
}

bool is_whole(const CType& type) {
  return type.depth == 0 && type.scalar && !is_floating(*type.scalar);
}

/// An operator that a macro wrote may be any.
bool may_divide(const Node& node) {
  return node.kind == CXCursor_BinaryOperator && node.children.size() == 2 && is_whole(node.type) &&
         (node.operation == "/" || node.operation == "%" || node.operation.empty()) &&
         core(node.children[1]).kind != CXCursor_IntegerLiteral;
}

/// Of p[i] and p + i the pointer and the number, whichever stands first.
std::pair<const Node*, const Node*> pointer_and_number(const Node& node) {
  if (node.children.size() != 2) return {nullptr, nullptr};
  const bool first = node.children[0].type.depth > 0;
  return {&node.children[first ? 0 : 1], &node.children[first ? 1 : 0]};
}

}  // namespace

LaneRisks::LaneRisks(const Syntax& syntax) : syntax_(syntax) {
  find_moving();
  for (std::size_t i = 0; i < syntax.functions.size(); ++i)
    needs_mask_.push_back(parts(static_cast<int>(i)));
}

bool LaneRisks::of(const Node& expression) const {
  bool found = false;
  visit_nodes(expression, [&](const Node& node) {
    const bool is_place =
        node.kind == CXCursor_ArraySubscriptExpr ||
        (node.kind == CXCursor_UnaryOperator && (node.operation == "*" || node.operation.empty()));
    found = found || may_divide(node) || (is_place && !is_steady_place(node)) ||
            (node.kind == CXCursor_CallExpr && callee(syntax_, node) >= 0);
  });
  return found;
}

/// p[2] and *p, where p points into an array as long as that.
bool LaneRisks::is_steady_place(const Node& place) const {
  if (place.kind == CXCursor_UnaryOperator)
    return !place.children.empty() && is_steady(place.children[0]);
  const auto [pointer, number] = pointer_and_number(place);
  return pointer != nullptr && is_literal(*number) && is_steady(*pointer);
}

bool LaneRisks::is_steady(const Node& pointer) const {
  const Node& node = core(pointer);
  switch (node.kind) {
    case CXCursor_DeclRefExpr:
      return node.declaration >= 0 && !moving_.contains(node.declaration);
    case CXCursor_ArraySubscriptExpr: {
      // Rows of an array, and pointers that the kernel was given for a map's entries.
      const auto base = pointer_and_number(node).first;
      if (base == nullptr || !is_steady_place(node)) return false;
      const Node& named = core(*base);
      return node.type.array ||
             (named.kind == CXCursor_DeclRefExpr && named.declaration >= 0 &&
              syntax_.declarations[static_cast<std::size_t>(named.declaration)].kind ==
                  Declaration::Kind::parameter);
    }
    case CXCursor_UnaryOperator: {
      if (node.operation != "&" || node.children.empty()) return false;
      const Node& place = core(node.children[0]);
      return place.kind == CXCursor_DeclRefExpr ||
             ((place.kind == CXCursor_ArraySubscriptExpr ||
               (place.kind == CXCursor_UnaryOperator && place.operation == "*")) &&
              is_steady_place(place));
    }
    case CXCursor_BinaryOperator: {
      const auto [base, number] = pointer_and_number(node);
      return base != nullptr && (node.operation == "+" || node.operation == "-") &&
             is_literal(*number) && is_steady(*base);
    }
    case CXCursor_CStyleCastExpr:
      return !node.children.empty() && is_steady(node.children.back());
    default:
      return false;
  }
}

/// A pointer that moves makes those move that get its value.
void LaneRisks::find_moving() {
  for (std::size_t known = moving_.size() + 1; known != moving_.size();) {
    known = moving_.size();
    for (const auto& function : syntax_.functions)
      visit_nodes(function.body, [&](const Node& node) { find_moving(node); });
  }
}

void LaneRisks::set_moving(const Node& pointer) {
  const Node& named = core(pointer);
  if (named.kind == CXCursor_DeclRefExpr && named.declaration >= 0)
    moving_.insert(named.declaration);
}

void LaneRisks::find_moving(const Node& node) {
  if (node.kind == CXCursor_VarDecl) {
    const bool starts = node.type.depth > 0 && !node.type.array && !node.children.empty() &&
                        node.children.back().kind != CXCursor_TypeRef;
    if (starts && !is_steady(node.children.back())) moving_.insert(node.declaration);
  } else if (node.kind == CXCursor_CallExpr) {
    const int called = callee(syntax_, node);
    if (called < 0) return;
    const auto& parameters = syntax_.functions[static_cast<std::size_t>(called)].parameters;
    for (std::size_t i = 0; i < parameters.size() && i + 1 < node.children.size(); ++i)
      if (node.children[i + 1].type.depth > 0 && !is_steady(node.children[i + 1]))
        moving_.insert(parameters[i]);
  } else if (!node.children.empty() && node.children[0].type.depth > 0) {
    const bool sets = node.kind == CXCursor_BinaryOperator && node.operation == "=";
    const bool moves = node.kind == CXCursor_CompoundAssignOperator ||
                       (node.kind == CXCursor_UnaryOperator && steps(node));
    if (moves || (sets && node.children.size() == 2 && !is_steady(node.children[1])))
      set_moving(node.children[0]);
  }
}

bool LaneRisks::parts(int function) const {
  bool branches = false, risks = false, loops = false;
  for (const int number : reachable(syntax_, function)) {
    const Function& reached = syntax_.functions[static_cast<std::size_t>(number)];
    for (const auto& [node, loop] : lane_control(syntax_, reached).loops)
      loops = loops || loop.parts;
    risks = risks || of(reached.body);
    visit_nodes(reached.body, [&](const Node& node) {
      const bool chooses = node.kind == CXCursor_IfStmt || is_logical(node) ||
                           node.kind == CXCursor_ConditionalOperator;
      branches = branches ||
                 (chooses && !node.children.empty() && is_wide(syntax_, node.children.front()));
      risks = risks || is_loop(node);
    });
  }
  return loops || (branches && risks);
}

}  // namespace kiln::mesh
