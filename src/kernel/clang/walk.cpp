#include "kernel/clang/walk.hpp"

#include <clang-c/Index.h>

#include <algorithm>

namespace kiln::clang {

void visit_nodes(const Node& node, const std::function<void(const Node&)>& visit) {
  visit(node);
  for (const auto& child : node.children) visit_nodes(child, visit);
}

bool any_node(const Node& node, const std::function<bool(const Node&)>& holds) {
  return holds(node) || std::ranges::any_of(node.children, [&](const Node& child) {
           return any_node(child, holds);
         });
}

std::vector<int> reachable(const Tree& tree, int function) {
  std::vector<int> found{function};
  for (std::size_t i = 0; i < found.size(); ++i)
    visit_nodes(tree.function(found[i]).body, [&](const Node& node) {
      const int called = tree.callee(node);
      if (called >= 0 && std::ranges::find(found, called) == found.end()) found.push_back(called);
    });
  return found;
}

bool passes_on(const Node& node) {
  return (node.kind == CXCursor_ParenExpr || node.kind == CXCursor_UnexposedExpr) &&
         node.children.size() == 1;
}

const Node& core(const Node& node) { return passes_on(node) ? core(node.children[0]) : node; }

bool is_comparison(std::string_view operation) {
  return operation == "<" || operation == ">" || operation == "<=" || operation == ">=" ||
         operation == "==" || operation == "!=";
}

bool is_assignment(const Node& node) {
  return node.kind == CXCursor_CompoundAssignOperator ||
         (node.kind == CXCursor_BinaryOperator && node.operation == "=");
}

bool is_logical(const Node& node) {
  return node.kind == CXCursor_BinaryOperator && (node.operation == "&&" || node.operation == "||");
}

bool is_truth(const Node& node) {
  return is_logical(node) ||
         (node.kind == CXCursor_BinaryOperator && is_comparison(node.operation)) ||
         (node.kind == CXCursor_UnaryOperator && node.operation == "!");
}

bool is_step(const Node& node) { return node.operation == "++" || node.operation == "--"; }

bool is_loop(const Node& node) {
  return node.kind == CXCursor_ForStmt || node.kind == CXCursor_WhileStmt ||
         node.kind == CXCursor_DoStmt;
}

ControlParts control_parts(const Tree& tree, const Node& node) {
  ControlParts parts;
  if (node.children.empty()) return parts;
  const auto& tokens = tree.lexed.tokens;
  const bool is_do = node.kind == CXCursor_DoStmt;
  std::uint32_t semicolons[2] = {0, 0};
  int depth = 0, found = 0;
  for (std::size_t i = tree.lexed.token_at(is_do ? node.children.front().end : node.begin);
       i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("(") && ++depth == 1) parts.open = token.begin;
    if (token.is(";") && depth == 1 && found < 2) semicolons[found++] = token.begin;
    if (!token.is(")") || --depth > 0) continue;
    parts.close = token.begin;
    break;
  }
  const auto child = [&](std::size_t i) {
    return i < node.children.size() ? &node.children[i] : nullptr;
  };
  if (node.kind != CXCursor_ForStmt) {
    parts.condition = child(is_do ? 1 : 0);
    parts.body = child(is_do ? 0 : 1);
    parts.otherwise = is_do ? nullptr : child(2);
  } else if (found == 2) {
    // Which part of a for each child is shows by the semicolons between them.
    parts.body = &node.children.back();
    for (std::size_t i = 0; i + 1 < node.children.size(); ++i)
      (node.children[i].begin < semicolons[0]   ? parts.first
       : node.children[i].begin < semicolons[1] ? parts.condition
                                                : parts.step) = child(i);
  }
  return parts;
}

}  // namespace kiln::clang
