#include <clang-c/Index.h>

#include "kernel/facts/flow.hpp"

namespace kiln::facts {

void Walker::run() {
  control_.tainted = function_.control_tainted;
  function_.branches.clear();
  if (function_.function->is_too_deep) give_up("is nested too deeply");
  statement(function_.function->body);
}

void Walker::statement(const Node& node) {
  at_ = node.begin;
  switch (node.kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_LabelStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_UnexposedStmt:  // with a hint for the loop that follows
    case CXCursor_DeclStmt:
      for (const Node& child : node.children) statement(child);
      return;
    case CXCursor_CaseStmt:
      for (std::size_t i = 0; i + 1 < node.children.size(); ++i) value_of(node.children[i]);
      if (!node.children.empty()) statement(node.children.back());
      return;
    case CXCursor_VarDecl:
      return declare(node);
    case CXCursor_IfStmt:
      return if_statement(node);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
      return loop_statement(node);
    case CXCursor_SwitchStmt:
      return switch_statement(node);
    case CXCursor_ReturnStmt:
      return return_statement(node);
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
      return jump(node);
    case CXCursor_GotoStmt:  // any order of statements is possible
      function_.has_goto = true;
      return flow_.raise(function_.control_tainted, true);
    case CXCursor_NullStmt:
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_TypedefDecl:
    case CXCursor_FunctionDecl:
    case CXCursor_StaticAssert:
      return;
    default:
      break;
  }
  const bool is_expression = node.kind >= CXCursor_FirstExpr && node.kind <= CXCursor_LastExpr;
  if (!is_expression) give_up("holds a statement that Kiln does not follow");
  value_of(node);
}

void Walker::declare(const Node& node) {
  Value target;
  target.variable = node.declaration;
  variable(target.variable).changes_unseen |= flow_.syntax.named(node)->is_local;
  if (node.children.empty()) return;
  const Node& initializer = node.children[0];
  store(target, value_of(initializer), *initializer.type, false);
  assigned(target, node.end);
}

/// What stands in either branch runs only where the condition, whose value may come from memory,
/// lets it.
void Walker::if_statement(const Node& node) {
  if (node.children.size() < 2) give_up("has an if that Kiln does not follow");
  const Branch branch(*this, value_of(node.children[0]));
  for (std::size_t i = 1; i < node.children.size(); ++i) statement(node.children[i]);
}

/// A loop's body comes last here, a step before it: nothing depends on that order, since what is
/// known of variables only grows, and passes repeat until it does not.
void Walker::loop_statement(const Node& node) {
  const auto [first, condition, step, body, otherwise, open, close] =
      clang::control_parts(flow_.syntax, node);
  if (body == nullptr) give_up("has a loop that Kiln does not follow");
  const std::uint32_t key = node.begin;
  nests_.push_back({key, true});
  if (first != nullptr) statement(*first);
  Value when;
  if (condition != nullptr && node.kind != CXCursor_DoStmt) when = value_of(*condition);
  when.tainted |= function_.loops[key].tainted;
  {
    const Branch branch(*this, when);
    if (step != nullptr) value_of(*step);
    statement(*body);
  }
  // The condition of a do stands behind the body; what it says of it counts in the next pass.
  if (node.kind == CXCursor_DoStmt && condition != nullptr) {
    const Value again = value_of(*condition);
    flow_.raise(function_.loops[key].tainted, again.tainted);
  }
  nests_.pop_back();
  function_.loops[key].end = node.end;
}

/// All of its body is under the condition, whichever label is taken.
void Walker::switch_statement(const Node& node) {
  if (node.children.size() < 2) give_up("has a switch that Kiln does not follow");
  Value when = value_of(node.children[0]);
  when.tainted |= function_.loops[node.begin].tainted;
  when.selects |= when.own;
  nests_.push_back({node.begin, false});
  {
    const Branch branch(*this, when);
    for (std::size_t i = 1; i < node.children.size(); ++i) statement(node.children[i]);
  }
  nests_.pop_back();
}

/// Loops and switches from here out to `outermost` end early where loaded values say so.
void Walker::leave(std::size_t outermost) {
  if (!control_tainted()) return;
  for (std::size_t i = outermost; i < nests_.size(); ++i)
    flow_.raise(function_.loops[nests_[i].key].tainted, true);
}

void Walker::return_statement(const Node& node) {
  if (!node.children.empty()) {
    const Value value = value_of(node.children[0]);
    flow_.raise(function_.returns_tainted, value.tainted || control_tainted());
    flow_.raise(function_.returns_own, value.own);
    flow_.raise(function_.returns, value.roots);
  }
  leave(0);
  // Whatever follows runs only where this was not reached.
  exited_.tainted |= control_tainted();
  exited_.selects |= selects();
}

/// break or continue. A continue within a switch leaves the switch, too.
void Walker::jump(const Node& node) {
  if (nests_.empty()) give_up("leaves a loop that is not there");
  std::size_t target = nests_.size() - 1;
  while (node.kind == CXCursor_ContinueStmt && target > 0 && !nests_[target].is_loop) --target;
  leave(target);
}

}  // namespace kiln::facts
