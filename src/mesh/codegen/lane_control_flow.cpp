// Where control flow of a function diverges between lanes: ifs, loops, jumps and returns under
// masks, and what must not be evaluated for inactive lanes.
#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mesh/codegen/lane_writer.hpp"

namespace kiln::mesh {
namespace {

bool is_literal(const Node& node) {
  const Node& value = core(node);
  return value.kind == CXCursor_IntegerLiteral ||
         (value.kind == CXCursor_UnaryOperator && value.operation == "-" &&
          is_literal(value.children[0]));
}

bool is_integer(const clang::Type* type) {
  return type->depth == 0 && scalar_of(type) && !ends_in_floating(type);
}

/// An operator that a macro wrote may be any.
bool may_divide(const Node& node) {
  return node.kind == CXCursor_BinaryOperator && node.children.size() == 2 &&
         is_integer(node.type) &&
         (node.operation == "/" || node.operation == "%" || node.operation.empty()) &&
         core(node.children[1]).kind != CXCursor_IntegerLiteral;
}

/// Of p[i] and p + i the pointer and the number, whichever stands first.
std::pair<const Node*, const Node*> pointer_and_number(const Node& node) {
  if (node.children.size() != 2) return {nullptr, nullptr};
  const bool first = node.children[0].type->depth > 0;
  return {&node.children[first ? 0 : 1], &node.children[first ? 1 : 0]};
}

}  // namespace

LaneRisks::LaneRisks(const Syntax& syntax) : syntax_(syntax) {
  find_moving();
  for (std::size_t i = 0; i < syntax.functions.size(); ++i)
    needs_mask_.push_back(may_go_wrong(static_cast<int>(i)));
}

bool LaneRisks::of(const Node& expression) const {
  return any_node(expression, [&](const Node& node) {
    const bool is_place =
        node.kind == CXCursor_ArraySubscriptExpr ||
        (node.kind == CXCursor_UnaryOperator && (node.operation == "*" || node.operation.empty()));
    return may_divide(node) || (is_place && !is_steady_place(node)) ||
           (node.kind == CXCursor_CallExpr && syntax_.callee(node) >= 0);
  });
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
      return node.type->array ||
             (named.kind == CXCursor_DeclRefExpr && named.declaration >= 0 &&
              syntax_.declared(named.declaration).kind == Declaration::Kind::parameter);
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
    const bool starts = node.type->depth > 0 && !node.type->array && !node.children.empty();
    if (starts && !is_steady(node.children.back())) moving_.insert(node.declaration);
  } else if (node.kind == CXCursor_CallExpr) {
    const int called = syntax_.callee(node);
    if (called < 0) return;
    const auto& parameters = syntax_.function(called).parameters;
    for (std::size_t i = 0; i < parameters.size() && i + 1 < node.children.size(); ++i)
      if (node.children[i + 1].type->depth > 0 && !is_steady(node.children[i + 1]))
        moving_.insert(parameters[i]);
  } else if (!node.children.empty() && node.children[0].type->depth > 0) {
    const bool sets = node.kind == CXCursor_BinaryOperator && node.operation == "=";
    const bool moves = node.kind == CXCursor_CompoundAssignOperator ||
                       (node.kind == CXCursor_UnaryOperator && is_step(node));
    if (moves || (sets && node.children.size() == 2 && !is_steady(node.children[1])))
      set_moving(node.children[0]);
  }
}

bool LaneRisks::may_go_wrong(int function) const {
  bool branches = false, risks = false, loops = false;
  for (const int number : reachable(syntax_, function)) {
    const Function& reached = syntax_.function(number);
    for (const auto& [node, loop] : divergence_of(syntax_, reached).loops)
      loops = loops || loop.diverges;
    risks = risks || of(reached.body) || any_node(reached.body, clang::is_loop);
    branches =
        branches || any_node(reached.body, [&](const Node& node) {
          const bool chooses = node.kind == CXCursor_IfStmt || is_logical(node) ||
                               node.kind == CXCursor_ConditionalOperator;
          return chooses && !node.children.empty() && is_varying(syntax_, node.children.front());
        });
  }
  return loops || (branches && risks);
}

std::string LaneWriter::plain_if(const Node& node, const ControlParts& parts) {
  std::string text = slice(node.begin, parts.condition->begin) + expression(*parts.condition) +
                     slice(parts.condition->end, parts.body->begin);
  if (!fits(*parts.condition, node.begin, parts.close)) {
    check_verbatim(*parts.condition);
    text = slice(node.begin, parts.body->begin);
  }
  text += statement(*parts.body);
  if (parts.otherwise != nullptr)
    text += slice(statement_end(*parts.body), parts.otherwise->begin) + statement(*parts.otherwise);
  return text;
}

std::string LaneWriter::masked_if(const Node& node, const ControlParts& parts) {
  if (!fits(*parts.condition, node.begin, parts.close))
    return refuse(node.begin, "a condition that a macro writes");
  const std::string around = is_masked() ? mask(level_) + " & " : "";
  const std::string asked = fmt::format("kiln_if{}", level_ + 1), inner = mask(level_ + 1);
  std::string text =
      fmt::format("{{ const {} {} = {};{}", mask_type(), asked, condition(*parts.condition),
                  line_breaks(node.begin, parts.body->begin));
  text += fmt::format(" {} {} = {}{}; if (any({})) ", mask_type(), inner, around, asked, inner);
  ++level_;
  text += statement(*parts.body);
  --level_;
  if (parts.otherwise != nullptr) {
    text += fmt::format(" {} = {}~{};{} if (any({})) ", inner, around, asked,
                        line_breaks(statement_end(*parts.body), parts.otherwise->begin), inner);
    ++level_;
    text += statement(*parts.otherwise);
    --level_;
  }
  return text + " }";
}

/// A loop's condition: its own, and whether any lane is active still.
std::string LaneWriter::loop_condition(const Node* condition, const Loop& loop) {
  if (condition == nullptr)
    return loop.control.diverges ? fmt::format("any({})", mask(level_)) : std::string();
  if (is_varying(syntax_, *condition))
    return fmt::format("any({0} = {0} & {1})", mask(level_), this->condition(*condition));
  const std::string own = expression(*condition);
  return loop.control.diverges ? fmt::format("({}) && any({})", own, mask(level_)) : own;
}

std::string LaneWriter::for_head(const Node& node, const ControlParts& parts,
                                 const std::string& first, const std::string& asked) {
  std::string text = slice(node.begin, parts.open) + "(" + first;
  if (parts.first == nullptr || parts.first->kind != CXCursor_DeclStmt) text += "; ";
  text += asked + "; ";
  if (parts.step == nullptr) return text + ")";
  if (!fits(*parts.step, parts.open, parts.close))
    return refuse(parts.step->begin, "this text of a macro");
  return text +
         (parts.step->kind == CXCursor_UnaryOperator ? step_by_one(*parts.step)
                                                     : expression(*parts.step)) +
         ")";
}

/// A divergent loop goes on while any lane is active.
std::string LaneWriter::loop(const Node& node) {
  const auto parts = control_parts(syntax_, node);
  if (parts.body == nullptr || parts.close == 0) return refuse(node.begin, "this text of a macro");
  Loop made{statement_end(node), level_, control_.loops[&node]};
  if (parts.condition != nullptr && !fits(*parts.condition, node.begin, made.end))
    return refuse(node.begin, "a condition that a macro writes");
  std::string text;
  if (made.control.diverges) {
    const std::string around = is_masked() ? mask(level_) : fmt::format("({})(-1)", mask_type());
    text = fmt::format("{{ {} {} = {}; ", mask_type(), mask(level_ + 1), around);
    made.level = ++level_;
  }
  loops_.push_back(made);
  // The body comes after what is declared in front of it.
  const std::string first = parts.first == nullptr                   ? ""
                            : parts.first->kind == CXCursor_DeclStmt ? declarations(*parts.first)
                                                                     : expression(*parts.first);
  const std::string asked = loop_condition(parts.condition, made);
  if (node.kind == CXCursor_ForStmt)
    text += for_head(node, parts, first, asked) + line_breaks(parts.open, parts.body->begin) + " " +
            loop_body(parts, made);
  else if (node.kind == CXCursor_WhileStmt)
    text += slice(node.begin, parts.open) + "(" + asked + ")" +
            line_breaks(parts.open, parts.body->begin) + " " + loop_body(parts, made);
  else
    text += slice(node.begin, parts.body->begin) + loop_body(parts, made) +
            slice(statement_end(*parts.body), parts.open) + "(" + asked + ")" +
            line_breaks(parts.open, parts.close) + slice(parts.close + 1, statement_end(node));
  loops_.pop_back();
  if (made.control.diverges) {
    --level_;
    text += " }";
  }
  return text;
}

/// Where lanes begin the next round one by one, each round has a mask of its own.
std::string LaneWriter::loop_body(const ControlParts& parts, const Loop& loop) {
  if (!loop.control.continues) return until_empty(statement(*parts.body));
  ++level_;
  const std::string body = fmt::format("{{ {} {} = {}; {} }}", mask_type(), mask(level_),
                                       mask(level_ - 1), statement(*parts.body));
  --level_;
  return until_empty(body);
}

/// A loop's body. Where all lanes may have left in it, its condition must not be evaluated again.
std::string LaneWriter::until_empty(const std::string& body) const {
  if (emptied_ > level_) return body;
  return fmt::format("{{ {} if (!any({})) break; }}", body, mask(level_));
}

/// Takes the active lanes out of all masks from `first` on.
std::string LaneWriter::leave(int first) {
  emptied_ = std::min(emptied_, first);
  std::string text;
  for (int level = first; level < level_; ++level)
    text += fmt::format("{} &= ~{}; ", mask(level), mask(level_));
  return text + fmt::format("{} = 0;", mask(level_));
}

/// Where the lanes that jump are all that are in the loop, or in its round, the jump stays one.
std::string LaneWriter::jump(const Node& node) {
  const bool leaves = node.kind == CXCursor_BreakStmt;
  auto loop = loops_.rbegin();
  if (!leaves)
    while (loop != loops_.rend() && loop->is_switch) ++loop;
  if (loop == loops_.rend()) return refuse(node.begin, "this text of a macro");
  const Divergence::Loop& control = loop->control;
  const bool together = loop->is_switch || !control.diverges || (!leaves && !control.continues) ||
                        level_ == loop->level + (leaves ? 0 : 1);
  if (together) return slice(node.begin, statement_end(node));
  return "{ " + leave(loop->level + (leaves ? 0 : 1)) + " }";
}

std::string LaneWriter::return_statement(const Node& node) {
  const bool has_value = !node.children.empty();
  if (!has_mask_) {
    if (!has_value) return slice(node.begin, statement_end(node));
    if (!fits(node.children[0], node.begin, node.end)) check_verbatim(node.children[0]);
    return within(node) + slice(node.end, statement_end(node));
  }
  std::string text = "{ ";
  if (has_value) {
    if (!is_floating(function_.result) || !fits(node.children[0], node.begin, node.end))
      return refuse(node.begin, "elements come back here one by one");
    const ScalarType type = *scalar_of(function_.result);
    text += fmt::format("kiln_result = {} ? {} : kiln_result; ", mask_for(type, mask(level_)),
                        as_vector(node.children[0], type));
  }
  if (level_ > 0)
    text += leave(0);
  else
    text += has_value ? "return kiln_result;" : "return;";
  return text + " }";
}

}  // namespace kiln::mesh
