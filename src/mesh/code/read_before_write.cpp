#include "mesh/code/read_before_write.hpp"

#include <clang-c/Index.h>

#include <algorithm>
#include <set>
#include <string>

#include "mesh/code/lane_facts.hpp"
#include "mesh/code/user_text.hpp"

namespace kiln::mesh {
namespace {

bool is_void(const CType& type) { return type.depth == 0 && !type.scalar; }
bool is_jump(const Node& node) {
  return node.kind == CXCursor_ReturnStmt || node.kind == CXCursor_GotoStmt ||
         node.kind == CXCursor_LabelStmt || node.kind == CXCursor_BreakStmt ||
         node.kind == CXCursor_ContinueStmt;
}
bool is_sizeof(const Node& node) { return node.kind == CXCursor_UnaryExpr; }

/// Goes through the statements in their order until there is a doubt or a find.
class Search {
 public:
  Search(const Syntax& syntax, int parameter) : syntax_(syntax), parameter_(parameter) {}
  void statement(const Node& node);
  const std::optional<std::uint32_t>& found() const { return found_; }

 private:
  bool is_parameter(const Node& node) const {
    return core(node).kind == CXCursor_DeclRefExpr && core(node).declaration == parameter_;
  }
  /// p[…] and *p.
  bool is_place(const Node& node) const {
    return !node.children.empty() && is_parameter(node.children[0]) &&
           (node.kind == CXCursor_ArraySubscriptExpr ||
            (node.kind == CXCursor_UnaryOperator && node.operation == "*"));
  }
  std::string component(const Node& place) const;
  bool hands_on(const Node& node) const;
  bool mentions(const Node& node) const;
  bool runs_once(const Node& loop, const ControlParts& parts) const;
  void expression(const Node& node);
  void branch(const Node& node);
  void read(const Node& place);
  void written(const Node& place);

  const Syntax& syntax_;
  int parameter_;
  std::set<std::string> written_;  ///< components, as they are written
  bool done_ = false;
  std::optional<std::uint32_t> found_;
};

std::string Search::component(const Node& place) const {
  if (place.kind == CXCursor_UnaryOperator) return "0";
  const Node& index = place.children[1];
  return syntax_.source->text().substr(index.begin, index.end - index.begin);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
         (text == "0" || text[0] != '0');
}

/// Whether the pointer itself goes somewhere, or something within the expression is assigned.
bool Search::hands_on(const Node& node) const {
  if (is_sizeof(node)) return false;
  if (is_place(node))
    return std::any_of(node.children.begin() + 1, node.children.end(),
                       [&](const Node& child) { return hands_on(child); });
  if (is_parameter(node)) return true;
  // Between what a macro was given stands a comma, whatever its body does with it.
  const bool is_operator =
      node.kind == CXCursor_UnaryOperator || node.kind == CXCursor_BinaryOperator;
  const bool is_unclear = node.operation.empty() || node.operation == "&" || node.operation == ",";
  if (is_operator && is_unclear && mentions(node)) return true;
  if ((is_assignment(node) || (node.kind == CXCursor_UnaryOperator && steps(node))) &&
      mentions(node.children[0]))
    return true;
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](const Node& child) { return hands_on(child); });
}

bool Search::mentions(const Node& node) const {
  bool found = false;
  visit_nodes(node, [&](const Node& n) {
    found = found || (n.kind == CXCursor_DeclRefExpr && n.declaration == parameter_);
  });
  return found;
}

void Search::read(const Node& place) {
  const std::string what = component(place);
  const bool is_new = written_.empty() || (is_number(what) && !written_.contains(what) &&
                                           std::all_of(written_.begin(), written_.end(),
                                                       [](auto& w) { return is_number(w); }));
  if (is_new) found_ = place.begin;
  done_ = done_ || is_new || !is_number(what);
}

/// What is written at an index that is not known may be anything.
void Search::written(const Node& place) {
  const std::string what = component(place);
  if (!is_number(what)) done_ = true;
  written_.insert(what);
}

/// What is evaluated in any case, none of it assigned.
void Search::expression(const Node& node) {
  const bool is_cast = node.kind == CXCursor_CStyleCastExpr;
  if (done_ || is_sizeof(node) || (is_cast && is_void(node.type))) return;
  if (is_place(node)) {
    for (std::size_t i = 1; i < node.children.size(); ++i) expression(node.children[i]);
    if (!done_) read(node);
    return;
  }
  const bool chooses = is_logical(node) || node.kind == CXCursor_ConditionalOperator;
  for (std::size_t i = 0; i < node.children.size() && !(chooses && i > 0); ++i)
    expression(node.children[i]);
}

/// What is done perhaps: it may write, or leave the function.
void Search::branch(const Node& node) {
  visit_nodes(node, [&](const Node& n) { done_ = done_ || is_jump(n); });
  done_ = done_ || mentions(node);
}

/// `for (int i = 0; i < 3; …)`.
bool Search::runs_once(const Node& loop, const ControlParts& parts) const {
  if (loop.kind != CXCursor_ForStmt || parts.first == nullptr || parts.condition == nullptr ||
      parts.first->kind != CXCursor_DeclStmt || parts.first->children.size() != 1 ||
      parts.condition->operation != "<" || parts.condition->children.size() != 2)
    return false;
  const Node& counter = parts.first->children[0];
  const auto text = [&](const Node& node) {
    return syntax_.source->text().substr(node.begin, node.end - node.begin);
  };
  const Node& asked = core(parts.condition->children[0]);
  const std::string most = text(parts.condition->children[1]);
  return counter.kind == CXCursor_VarDecl && !counter.children.empty() &&
         text(counter.children.back()) == "0" && asked.kind == CXCursor_DeclRefExpr &&
         asked.declaration == counter.declaration && is_number(most) && most != "0";
}

void Search::statement(const Node& node) {
  if (done_) return;
  switch (node.kind) {
    case CXCursor_CompoundStmt:
      for (const auto& child : node.children) statement(child);
      return;
    case CXCursor_DeclStmt:
      for (const auto& variable : node.children)
        for (const auto& child : variable.children) {
          done_ = done_ || hands_on(child);
          if (child.kind != CXCursor_TypeRef) expression(child);
        }
      return;
    case CXCursor_NullStmt:
      return;
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt: {
      const ControlParts parts = control_parts(syntax_, node);
      if (runs_once(node, parts) && parts.body != nullptr)
        statement(*parts.body);
      else if (node.kind == CXCursor_IfStmt && parts.condition != nullptr &&
               !hands_on(*parts.condition))
        expression(*parts.condition);
      if (!done_) branch(node);
      return;
    }
    default:
      break;
  }
  if (is_jump(node)) {
    done_ = true;
    return;
  }
  const bool steps_here = node.kind == CXCursor_UnaryOperator && steps(node);
  if ((is_assignment(node) || steps_here) && !node.children.empty() &&
      is_place(core(node.children[0]))) {
    const Node& place = core(node.children[0]);
    for (std::size_t i = 1; i < node.children.size(); ++i)
      done_ = done_ || hands_on(node.children[i]);
    done_ = done_ || hands_on(place);
    for (std::size_t i = 1; i < node.children.size(); ++i) expression(node.children[i]);
    if (done_) return;
    if (node.operation != "=") read(place);
    if (!done_) written(place);
    return;
  }
  done_ = done_ || hands_on(node);
  expression(node);
}

}  // namespace

std::optional<std::uint32_t> read_before_write(const Syntax& syntax, const Function& function,
                                               int parameter) {
  Search search(syntax, parameter);
  search.statement(function.body);
  return search.found();
}

}  // namespace kiln::mesh
