// What depends on a condition of each element: masks, and values chosen by them.
#include <clang-c/Index.h>
#include <fmt/format.h>

#include <utility>

#include "mesh/code/lane_writer.hpp"

namespace kiln::mesh {

/// A truth value of each lane as a real number: 0 or 1, or what is chosen by it.
std::string LaneWriter::number_of_truth(const Node& node, ScalarType type) {
  if (node.kind == CXCursor_ConditionalOperator && node.children.size() == 3 &&
      is_wide(syntax_, node.children[0]) && !is_wide(syntax_, node.children[1]) &&
      !is_wide(syntax_, node.children[2]))
    return choice(node, type);
  const bool asks = node.kind == CXCursor_CallExpr && is_question(called_name(syntax_, node));
  if (!is_truth(node) && !asks) return refuse(node.begin, from_real);
  return fmt::format("({1} ? ({0})(1) : ({0})(0))", vector(type), mask_for(type, condition(node)));
}

/// A condition of each lane as a mask.
std::string LaneWriter::condition(const Node& node) {
  if (is_logical(node)) return logical(node);
  if (node.kind == CXCursor_UnaryOperator && node.operation == "!" && node.children.size() == 1)
    return "(~" + condition(node.children[0]) + ")";
  const auto of_width = [&](ScalarType type, const std::string& text) {
    if (size_of(type) == size_of(mask_)) return "(" + text + ")";
    return fmt::format("convert_{}({})", mask_type(), text);
  };
  if (is_truth(node) && node.children.size() == 2) {
    const CType& type = node.children[0].type;
    if (!is_real(type)) return refuse(node.begin, from_real);
    const bool assigned = std::exchange(may_not_assign_, true);
    const std::string text = within(node);
    may_not_assign_ = assigned;
    return of_width(*type.scalar, text);
  }
  if (node.kind == CXCursor_CallExpr && is_question(called_name(syntax_, node)) &&
      node.children.size() > 1 && is_real(node.children[1].type))
    return of_width(*node.children[1].type.scalar, built_in(node));
  if (passes_on(node) && !is_real(node.type)) return condition(node.children.back());
  if (is_real(node.type)) return of_width(*node.type.scalar, expression(node) + " != 0");
  return refuse(node.begin, from_real);
}

/// A condition, the same for all elements or not, as a mask.
std::string LaneWriter::as_mask(const Node& side) {
  return is_wide(syntax_, side)
             ? condition(side)
             : fmt::format("(({1}) ? ({0})(-1) : ({0})(0))", mask_type(), expression(side));
}

/// The second side is not evaluated where the first one decides for all lanes.
std::string LaneWriter::logical(const Node& node) {
  const Node &left = node.children[0], &right = node.children[1];
  const bool both = node.operation == "&&";
  if (!fits(left, node.begin, node.end) || !fits(right, left.end, node.end))
    return refuse(node.begin, "a condition that a macro writes");
  const std::string lines = breaks(left.end, right.begin);
  const bool assigned = std::exchange(may_not_assign_, true);
  std::string text;
  if (is_wide(syntax_, left)) {
    text = as_mask(left);
    text = risks_.of(right)
               ? second_side(node, text)
               : fmt::format("({} {}{} {})", text, both ? "&" : "|", lines, as_mask(right));
  } else {
    const std::string first = expression(left), second = as_mask(right);
    text = both ? fmt::format("(({1}) ? {3}{2} : ({0})(0))", mask_type(), first, second, lines)
                : fmt::format("(({1}) ? ({0})(-1) : {3}{2})", mask_type(), first, second, lines);
  }
  may_not_assign_ = assigned;
  return text;
}

/// Where evaluating it for nobody could do harm, the second side is asked only where the first one
/// leaves it somebody.
std::string LaneWriter::second_side(const Node& node, const std::string& first) {
  const Node &left = node.children[0], &right = node.children[1];
  const bool both = node.operation == "&&";
  const std::string when = new_mask(), here = present();
  const std::string around = std::exchange(chosen_, when);
  const std::string text =
      fmt::format("({0} = {1}{2}{3}, {4}{0} {5} {6}(any({0}) ? {7} : ({8})(0)))", when,
                  here.empty() ? "" : here + " & ", both ? "" : "~", first, both ? "" : "~",
                  both ? "&" : "|", breaks(left.end, right.begin), as_mask(right), mask_type());
  chosen_ = around;
  return text;
}

/// What an expression without vectors comes to is the same in all lanes.
std::string LaneWriter::as_vector(const Node& node, ScalarType type) {
  std::string text = expression(node);
  if (is_wide(syntax_, node) && is_real(node.type)) return text;
  // The common type of a choice's sides, which C gives them by itself: -1 beside 1u.
  if (passes_on(node) && node.type.depth == 0 && node.type.scalar &&
      !is_floating(*node.type.scalar))
    text = fmt::format("({})({})", name_of(*node.type.scalar), text);
  return fmt::format("({})({})", vector(type), text);
}

std::string LaneWriter::choice(const Node& node, ScalarType type) {
  const Node &asked = node.children[0], &yes = node.children[1], &no = node.children[2];
  if (!fits(asked, node.begin, node.end) || !fits(yes, asked.end, node.end) ||
      !fits(no, yes.end, node.end))
    return refuse(node.begin, "a choice beside a macro");
  const std::string mask = condition(asked);
  const bool assigned = std::exchange(may_not_assign_, true);
  const bool risky = risks_.of(yes) || risks_.of(no);
  const std::string when = risky ? new_mask() : mask;
  const std::string first = chosen(yes, type, when), second = chosen(no, type, "~" + when);
  std::string text =
      fmt::format("({} ?{} {} :{} {})", mask_for(type, when), breaks(asked.end, yes.begin), first,
                  breaks(yes.end, no.begin), second);
  if (risky) text = fmt::format("({} = {}, {})", when, mask, text);
  may_not_assign_ = assigned;
  return text;
}

/// One side of a choice. Where evaluating it for nobody could do harm, it is asked whether anybody
/// chooses it.
std::string LaneWriter::chosen(const Node& side, ScalarType type, const std::string& mask) {
  if (!risks_.of(side)) return as_vector(side, type);
  const std::string here = present();
  const std::string around =
      std::exchange(chosen_, here.empty() ? mask : fmt::format("({} & {})", here, mask));
  const std::string text =
      fmt::format("(any({}) ? {} : ({})(0))", chosen_, as_vector(side, type), vector(type));
  chosen_ = around;
  return text;
}

}  // namespace kiln::mesh
