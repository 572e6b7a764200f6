// A function's expressions for several elements at once.
#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>

#include "mesh/code/lane_writer.hpp"

namespace kiln::mesh {

std::string LaneWriter::expression(const Node& node) {
  if (!fits(node, function_.begin, function_.end))
    return refuse(function_.begin, "a macro that ends within an expression");
  switch (node.kind) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
      return slice(node.begin, node.end);
    case CXCursor_DeclRefExpr:
      if (!node.type.scalar && node.declaration >= 0 &&
          syntax_.declarations[static_cast<std::size_t>(node.declaration)].kind !=
              Declaration::Kind::function)
        return refuse(node.begin, fmt::format("a value of type {}", node.type.spelling));
      return slice(node.begin, node.end);
    case CXCursor_ParenExpr:
      return within(node);
    case CXCursor_UnexposedExpr:
      return converted(node);
    case CXCursor_ArraySubscriptExpr:
      for (const auto& child : node.children)
        if (child.type.depth == 0 && is_wide(syntax_, child))
          return refuse(child.begin, "an index that depends on floating-point numbers");
      return within(node);
    case CXCursor_UnaryOperator:
      if (node.operation.empty()) return refuse(node.begin, "an operator beside a macro");
      if (node.operation == "!" && is_wide(syntax_, node)) return refuse(node.begin, from_real);
      if (!steps(node)) return within(node);
      return is_real(node.type) && node.begin == node.children[0].begin
                 ? refuse(node.begin, "the value before a step")
                 : step_by_one(node);
    case CXCursor_CompoundAssignOperator:
      return assignment(node);
    case CXCursor_BinaryOperator:
      if (node.operation.empty()) return refuse(node.begin, "an operator beside a macro");
      if (is_assignment(node)) return assignment(node);
      // Between what a macro was given stands the same.
      if (node.operation == "," && is_masked()) return refuse(node.begin, "a comma");
      return is_truth(node) && is_wide(syntax_, node) ? refuse(node.begin, from_real)
                                                      : within(node);
    case CXCursor_ConditionalOperator:
      if (node.children.size() != 3) return refuse(node.begin, "a choice without a first value");
      if (!is_wide(syntax_, node.children[0])) return within(node);
      return is_real(node.type) ? choice(node, *node.type.scalar)
             : node.type.depth > 0
                 ? refuse(node.begin, "a pointer that depends on floating-point numbers")
                 : refuse(node.begin, from_real);
    case CXCursor_CStyleCastExpr:
      return cast(node);
    case CXCursor_CallExpr:
      return call(node);
    default:
      return refuse(node.begin, "what is written here");
  }
}

/// Conversions that C makes by itself: between precisions, and of truth values to real numbers.
std::string LaneWriter::converted(const Node& node) {
  if (!passes_on(node)) return refuse(node.begin, "what is written here");
  const Node& operand = node.children.back();
  if (!is_wide(syntax_, operand)) return within(node);
  if (is_real(node.type) && is_real(operand.type) && node.type.scalar != operand.type.scalar)
    return fmt::format("convert_{}({})", vector(*node.type.scalar), within(node));
  if (operand.type.depth > 0 || !operand.type.scalar || node.type.depth > 0) return within(node);
  if (is_real(node.type) && !is_real(operand.type))
    return number_of_truth(core(operand), *node.type.scalar);
  if (!is_real(node.type) && is_real(operand.type)) return refuse(node.begin, from_real);
  return within(node);
}

std::string LaneWriter::cast(const Node& node) {
  if (node.children.empty()) return refuse(node.begin, "what is written here");
  const Node& operand = node.children.back();
  // Through another type it would see other bytes, without const it could change them for all.
  if (node.type.depth > 0 &&
      (!node.type.scalar || node.type.scalar != operand.type.scalar ||
       node.type.depth != operand.type.depth || (operand.type.is_const && !node.type.is_const)))
    return refuse(node.begin, "a cast of a pointer");
  if (node.type.scalar && is_floating(*node.type.scalar))
    check_type(node.type, node.begin, operand.begin);
  const bool wide = is_wide(syntax_, operand);
  if (!wide) return within(node);
  if (!is_real(node.type))
    // A cast to an integer would need another rounding for vectors, and whole numbers in lanes.
    return node.type.depth > 0 || (!node.type.scalar && node.type.depth == 0)
               ? within(node)
               : refuse(node.begin, from_real);
  if (!fits(operand, node.begin, node.end)) return refuse(node.begin, "a cast of a macro");
  const Node& meant = core(operand);
  if (!is_real(operand.type)) return number_of_truth(meant, *node.type.scalar);
  if (operand.type.scalar == node.type.scalar) return within(node);
  return fmt::format("convert_{}({})", vector(*node.type.scalar), expression(operand));
}

std::string LaneWriter::call(const Node& node) {
  const int called = callee(syntax_, node);
  if (called < 0) {
    if (is_question(called_name(syntax_, node)) && is_wide(syntax_, node))
      return refuse(node.begin, from_real);
    return built_in(node);
  }
  const auto& parameters = syntax_.functions[static_cast<std::size_t>(called)].parameters;
  const bool writes = std::any_of(parameters.begin(), parameters.end(), [&](int parameter) {
    const auto& type = syntax_.declarations[static_cast<std::size_t>(parameter)].type;
    return type.depth > 0 && !(type.depth == 1 && type.is_const);
  });
  if (writes && may_not_assign_)
    return refuse(node.begin, "a call within a condition of what may write");
  const std::string here = present();
  if (!here.empty() && (writes || risks_.needs_mask(called))) called_in_part_.insert(called);
  std::string text = within(node);
  if (!masked_.contains(called) || text.empty()) return text;
  text.pop_back();
  return text + fmt::format(", {})", here.empty() ? fmt::format("({})(-1)", mask_type()) : here);
}

std::string LaneWriter::built_in(const Node& node) {
  bool wide = false;
  for (std::size_t i = 1; i < node.children.size(); ++i)
    wide = wide || is_wide(syntax_, node.children[i]);
  const std::string_view name = called_name(syntax_, node);
  if (!wide && (is_real(node.type) || (node.type.scalar && node.type.depth == 0)) &&
      (is_elementwise(name) || name == "abs"))
    return within(node);
  if (!is_elementwise(name) && !is_question(name))
    return refuse(node.begin, fmt::format("a call of {}", name));
  std::string text;
  std::uint32_t at = node.begin;
  const ByLane alone{std::string(name), is_real(node.type) ? *node.type.scalar : ScalarType::f64,
                     lanes_, static_cast<int>(node.children.size()) - 1, takes_whole_number(name)};
  const bool is_alone = is_real(node.type) && is_called_by_lane(name, alone.type);
  if (is_alone) by_lane_.insert(alone);
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = node.children[i];
    if (!fits(child, at, node.end)) {
      if (is_alone) return refuse(node.begin, fmt::format("a call of {} by a macro", name));
      check_verbatim(child);
      continue;
    }
    text += slice(at, child.begin);
    if (i == 0)
      text += is_alone ? alone.name() : slice(child.begin, child.end);
    else if (is_real(child.type))
      text += as_vector(child, *child.type.scalar);
    else if (takes_whole_number(name) && i + 1 == node.children.size() && !is_wide(syntax_, child))
      text += as_vector(child, ScalarType::i32);
    else
      return refuse(child.begin, fmt::format("this argument of {}", name));
    at = child.end;
  }
  return text + slice(at, node.end);
}

}  // namespace kiln::mesh
