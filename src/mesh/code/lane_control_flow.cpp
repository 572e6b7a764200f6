// Where elements part: ifs, loops, jumps and returns under masks.
#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>

#include "mesh/code/lane_writer.hpp"

namespace kiln::mesh {

std::string LaneWriter::plain_if(const Node& node, const ControlParts& parts) {
  std::string text = slice(node.begin, parts.condition->begin) + expression(*parts.condition) +
                     slice(parts.condition->end, parts.body->begin);
  if (!fits(*parts.condition, node.begin, parts.close)) {
    check_verbatim(*parts.condition);
    text = slice(node.begin, parts.body->begin);
  }
  text += statement(*parts.body);
  if (parts.otherwise != nullptr)
    text += slice(stretch(*parts.body), parts.otherwise->begin) + statement(*parts.otherwise);
  return text;
}

std::string LaneWriter::masked_if(const Node& node, const ControlParts& parts) {
  if (!fits(*parts.condition, node.begin, parts.close))
    return refuse(node.begin, "a condition that a macro writes");
  const std::string around = is_masked() ? mask(level_) + " & " : "";
  const std::string asked = fmt::format("kiln_if{}", level_ + 1), inner = mask(level_ + 1);
  std::string text =
      fmt::format("{{ const {} {} = {};{}", mask_type(), asked, condition(*parts.condition),
                  breaks(node.begin, parts.body->begin));
  text += fmt::format(" {} {} = {}{}; if (any({})) ", mask_type(), inner, around, asked, inner);
  ++level_;
  text += statement(*parts.body);
  --level_;
  if (parts.otherwise != nullptr) {
    text += fmt::format(" {} = {}~{};{} if (any({})) ", inner, around, asked,
                        breaks(stretch(*parts.body), parts.otherwise->begin), inner);
    ++level_;
    text += statement(*parts.otherwise);
    --level_;
  }
  return text + " }";
}

/// What a loop asks before each round: its own condition, and whether anybody is left.
std::string LaneWriter::loop_question(const Node* condition, const Loop& loop) {
  if (condition == nullptr)
    return loop.control.parts ? fmt::format("any({})", mask(level_)) : std::string();
  if (is_wide(syntax_, *condition))
    return fmt::format("any({0} = {0} & {1})", mask(level_), this->condition(*condition));
  const std::string own = expression(*condition);
  return loop.control.parts ? fmt::format("({}) && any({})", own, mask(level_)) : own;
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

/// A loop that elements leave one by one goes on while any is left.
std::string LaneWriter::loop(const Node& node) {
  const auto parts = control_parts(syntax_, node);
  if (parts.body == nullptr || parts.close == 0) return refuse(node.begin, "this text of a macro");
  Loop made{stretch(node), level_, control_.loops[&node]};
  if (parts.condition != nullptr && !fits(*parts.condition, node.begin, made.end))
    return refuse(node.begin, "a condition that a macro writes");
  std::string text;
  if (made.control.parts) {
    const std::string around = is_masked() ? mask(level_) : fmt::format("({})(-1)", mask_type());
    text = fmt::format("{{ {} {} = {}; ", mask_type(), mask(level_ + 1), around);
    made.level = ++level_;
  }
  loops_.push_back(made);
  // The body comes after what is declared in front of it.
  const std::string first = parts.first == nullptr                   ? ""
                            : parts.first->kind == CXCursor_DeclStmt ? declarations(*parts.first)
                                                                     : expression(*parts.first);
  const std::string asked = loop_question(parts.condition, made);
  if (node.kind == CXCursor_ForStmt)
    text += for_head(node, parts, first, asked) + breaks(parts.open, parts.body->begin) + " " +
            loop_body(parts, made);
  else if (node.kind == CXCursor_WhileStmt)
    text += slice(node.begin, parts.open) + "(" + asked + ")" +
            breaks(parts.open, parts.body->begin) + " " + loop_body(parts, made);
  else
    text += slice(node.begin, parts.body->begin) + loop_body(parts, made) +
            slice(stretch(*parts.body), parts.open) + "(" + asked + ")" +
            breaks(parts.open, parts.close) + slice(parts.close + 1, stretch(node));
  loops_.pop_back();
  if (made.control.parts) {
    --level_;
    text += " }";
  }
  return text;
}

/// Where elements begin the next round one by one, each round has a mask of its own.
std::string LaneWriter::loop_body(const ControlParts& parts, const Loop& loop) {
  if (!loop.control.continues) return until_empty(statement(*parts.body));
  ++level_;
  const std::string body = fmt::format("{{ {} {} = {}; {} }}", mask_type(), mask(level_),
                                       mask(level_ - 1), statement(*parts.body));
  --level_;
  return until_empty(body);
}

/// A loop's body: where all may have left in it, nobody is asked whether to go on.
std::string LaneWriter::until_empty(const std::string& body) const {
  if (emptied_ > level_) return body;
  return fmt::format("{{ {} if (!any({})) break; }}", body, mask(level_));
}

/// Takes the elements that are here out of all masks from `first` on.
std::string LaneWriter::leave(int first) {
  emptied_ = std::min(emptied_, first);
  std::string text;
  for (int level = first; level < level_; ++level)
    text += fmt::format("{} &= ~{}; ", mask(level), mask(level_));
  return text + fmt::format("{} = 0;", mask(level_));
}

/// Where nobody but those who jump is in the loop, or in its round, they take the others' way.
std::string LaneWriter::jump(const Node& node) {
  const bool leaves = node.kind == CXCursor_BreakStmt;
  auto loop = loops_.rbegin();
  if (!leaves)
    while (loop != loops_.rend() && loop->is_switch) ++loop;
  if (loop == loops_.rend()) return refuse(node.begin, "this text of a macro");
  const LaneControl::Loop& control = loop->control;
  const bool together = loop->is_switch || !control.parts || (!leaves && !control.continues) ||
                        level_ == loop->level + (leaves ? 0 : 1);
  if (together) return slice(node.begin, stretch(node));
  return "{ " + leave(loop->level + (leaves ? 0 : 1)) + " }";
}

std::string LaneWriter::give_back(const Node& node) {
  const bool has_value = !node.children.empty();
  if (!has_mask_) {
    if (!has_value) return slice(node.begin, stretch(node));
    if (!fits(node.children[0], node.begin, node.end)) check_verbatim(node.children[0]);
    return within(node) + slice(node.end, stretch(node));
  }
  std::string text = "{ ";
  if (has_value) {
    if (!is_real(function_.result) || !fits(node.children[0], node.begin, node.end))
      return refuse(node.begin, "elements come back here one by one");
    const ScalarType type = *function_.result.scalar;
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
