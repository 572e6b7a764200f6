// A function's expressions for several elements at once: operators and calls, conditions as masks
// and values chosen by them, assignments to what is active.
#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mesh/codegen/lane_writer.hpp"

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
      if (!scalar_of(node.type) && node.declaration >= 0 &&
          syntax_.declared(node.declaration).kind != Declaration::Kind::function)
        return refuse(node.begin,
                      fmt::format("a value of type {}", spelling_of(syntax_, node.type)));
      return slice(node.begin, node.end);
    case CXCursor_ParenExpr:
      return within(node);
    case CXCursor_UnexposedExpr:
      return converted(node);
    case CXCursor_ArraySubscriptExpr:
      for (const auto& child : node.children)
        if (child.type->depth == 0 && is_varying(syntax_, child))
          return refuse(child.begin, "an index that depends on floating-point numbers");
      return within(node);
    case CXCursor_UnaryOperator:
      if (node.operation.empty()) return refuse(node.begin, "an operator next to a macro");
      if (node.operation == "!" && is_varying(syntax_, node))
        return refuse(node.begin, varying_integer);
      if (!is_step(node)) return within(node);
      return is_floating(node.type) && node.begin == node.children[0].begin
                 ? refuse(node.begin, "the value before a step")
                 : step_by_one(node);
    case CXCursor_CompoundAssignOperator:
      return assignment(node);
    case CXCursor_BinaryOperator:
      if (node.operation.empty()) return refuse(node.begin, "an operator next to a macro");
      if (is_assignment(node)) return assignment(node);
      // Between what a macro was given stands the same.
      if (node.operation == "," && is_masked()) return refuse(node.begin, "a comma");
      return is_truth(node) && is_varying(syntax_, node) ? refuse(node.begin, varying_integer)
                                                         : within(node);
    case CXCursor_ConditionalOperator:
      if (node.children.size() != 3) return refuse(node.begin, "a choice without a first value");
      if (!is_varying(syntax_, node.children[0])) return within(node);
      return is_floating(node.type) ? choice(node, *scalar_of(node.type))
             : node.type->depth > 0
                 ? refuse(node.begin, "a pointer that depends on floating-point numbers")
                 : refuse(node.begin, varying_integer);
    case CXCursor_CStyleCastExpr:
      return cast(node);
    case CXCursor_CallExpr:
      return call(node);
    default:
      return refuse(node.begin, "what is written here");
  }
}

/// Implicit conversions: between precisions, and of truth values to floating-point numbers.
std::string LaneWriter::converted(const Node& node) {
  if (!passes_on(node)) return refuse(node.begin, "what is written here");
  const Node& operand = node.children.back();
  if (!is_varying(syntax_, operand)) return within(node);
  if (is_floating(node.type) && is_floating(operand.type) &&
      scalar_of(node.type) != scalar_of(operand.type))
    return fmt::format("convert_{}({})", vector(*scalar_of(node.type)), within(node));
  if (operand.type->depth > 0 || !scalar_of(operand.type) || node.type->depth > 0)
    return within(node);
  if (is_floating(node.type) && !is_floating(operand.type))
    return number_of_condition(core(operand), *scalar_of(node.type));
  if (!is_floating(node.type) && is_floating(operand.type))
    return refuse(node.begin, varying_integer);
  return within(node);
}

std::string LaneWriter::cast(const Node& node) {
  if (node.children.empty()) return refuse(node.begin, "what is written here");
  const Node& operand = node.children.back();
  // Through another type it would see other bytes, without const it could change them for all.
  if (node.type->depth > 0 &&
      (!scalar_of(node.type) || scalar_of(node.type) != scalar_of(operand.type) ||
       node.type->depth != operand.type->depth || (operand.type->is_const && !node.type->is_const)))
    return refuse(node.begin, "a cast of a pointer");
  if (ends_in_floating(node.type)) check_type(node.type, node.begin, operand.begin);
  const bool wide = is_varying(syntax_, operand);
  if (!wide) return within(node);
  if (!is_floating(node.type))
    // A cast to an integer would need another rounding for vectors, and varying integers.
    return node.type->depth > 0 || (!scalar_of(node.type) && node.type->depth == 0)
               ? within(node)
               : refuse(node.begin, varying_integer);
  if (!fits(operand, node.begin, node.end)) return refuse(node.begin, "a cast of a macro");
  const Node& meant = core(operand);
  if (!is_floating(operand.type)) return number_of_condition(meant, *scalar_of(node.type));
  if (scalar_of(operand.type) == scalar_of(node.type)) return within(node);
  return fmt::format("convert_{}({})", vector(*scalar_of(node.type)), expression(operand));
}

std::string LaneWriter::call(const Node& node) {
  const int called = syntax_.callee(node);
  if (called < 0) {
    if (is_predicate(called_name(syntax_, node)) && is_varying(syntax_, node))
      return refuse(node.begin, varying_integer);
    return built_in(node);
  }
  const auto& parameters = syntax_.function(called).parameters;
  const bool writes = std::ranges::any_of(parameters, [&](int parameter) {
    const clang::Type* type = syntax_.declared(parameter).type;
    return type->depth > 0 && !(type->depth == 1 && type->is_const);
  });
  if (writes && may_not_assign_)
    return refuse(node.begin, "a call within a condition of what may write");
  const std::string here = active_mask();
  if (!here.empty() && (writes || risks_.needs_mask(called))) called_masked_.insert(called);
  std::string text = within(node);
  if (!masked_.contains(called) || text.empty()) return text;
  text.pop_back();
  return text + fmt::format(", {})", here.empty() ? fmt::format("({})(-1)", mask_type()) : here);
}

std::string LaneWriter::built_in(const Node& node) {
  bool wide = false;
  for (std::size_t i = 1; i < node.children.size(); ++i)
    wide = wide || is_varying(syntax_, node.children[i]);
  const std::string_view name = called_name(syntax_, node);
  if (!wide && (is_floating(node.type) || (scalar_of(node.type) && node.type->depth == 0)) &&
      (is_elementwise(name) || name == "abs"))
    return within(node);
  if (!is_elementwise(name) && !is_predicate(name))
    return refuse(node.begin, fmt::format("a call of {}", name));
  std::string text;
  std::uint32_t at = node.begin;
  const ByLane alone{std::string(name),
                     is_floating(node.type) ? *scalar_of(node.type) : ScalarType::f64, lanes_,
                     static_cast<int>(node.children.size()) - 1, takes_integer(name)};
  const bool is_alone =
      is_floating(node.type) && !on_vectors_.contains({alone.function, alone.type});
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
    else if (is_floating(child.type))
      text += as_vector(child, *scalar_of(child.type));
    else if (takes_integer(name) && i + 1 == node.children.size() && !is_varying(syntax_, child))
      text += as_vector(child, ScalarType::i32);
    else
      return refuse(child.begin, fmt::format("this argument of {}", name));
    at = child.end;
  }
  return text + slice(at, node.end);
}

/// A truth value of each lane as a floating-point number: 0 or 1, or what is chosen by it.
std::string LaneWriter::number_of_condition(const Node& node, ScalarType type) {
  if (node.kind == CXCursor_ConditionalOperator && node.children.size() == 3 &&
      is_varying(syntax_, node.children[0]) && !is_varying(syntax_, node.children[1]) &&
      !is_varying(syntax_, node.children[2]))
    return choice(node, type);
  const bool asks = node.kind == CXCursor_CallExpr && is_predicate(called_name(syntax_, node));
  if (!is_truth(node) && !asks) return refuse(node.begin, varying_integer);
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
    const clang::Type* type = node.children[0].type;
    if (!is_floating(type)) return refuse(node.begin, varying_integer);
    const bool assigned = std::exchange(may_not_assign_, true);
    const std::string text = within(node);
    may_not_assign_ = assigned;
    return of_width(*scalar_of(type), text);
  }
  if (node.kind == CXCursor_CallExpr && is_predicate(called_name(syntax_, node)) &&
      node.children.size() > 1 && is_floating(node.children[1].type))
    return of_width(*scalar_of(node.children[1].type), built_in(node));
  if (passes_on(node) && !is_floating(node.type)) return condition(node.children.back());
  if (is_floating(node.type)) return of_width(*scalar_of(node.type), expression(node) + " != 0");
  return refuse(node.begin, varying_integer);
}

/// A condition, uniform or varying, as a mask.
std::string LaneWriter::as_mask(const Node& side) {
  return is_varying(syntax_, side)
             ? condition(side)
             : fmt::format("(({1}) ? ({0})(-1) : ({0})(0))", mask_type(), expression(side));
}

/// The second side is not evaluated where the first one decides for all lanes.
std::string LaneWriter::logical(const Node& node) {
  const Node &left = node.children[0], &right = node.children[1];
  const bool both = node.operation == "&&";
  if (!fits(left, node.begin, node.end) || !fits(right, left.end, node.end))
    return refuse(node.begin, "a condition that a macro writes");
  const std::string lines = line_breaks(left.end, right.begin);
  const bool assigned = std::exchange(may_not_assign_, true);
  std::string text;
  if (is_varying(syntax_, left)) {
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

/// Where evaluating it with no active lane could do harm, the second side is evaluated only if the
/// first one leaves a lane active.
std::string LaneWriter::second_side(const Node& node, const std::string& first) {
  const Node &left = node.children[0], &right = node.children[1];
  const bool both = node.operation == "&&";
  const std::string when = new_mask(), here = active_mask();
  const std::string around = std::exchange(chosen_, when);
  const std::string text = fmt::format(
      "({0} = {1}{2}{3}, {4}{0} {5} {6}(any({0}) ? {7} : ({8})(0)))", when,
      here.empty() ? "" : here + " & ", both ? "" : "~", first, both ? "" : "~", both ? "&" : "|",
      line_breaks(left.end, right.begin), as_mask(right), mask_type());
  chosen_ = around;
  return text;
}

/// A uniform expression has the same value in all lanes.
std::string LaneWriter::as_vector(const Node& node, ScalarType type) {
  std::string text = expression(node);
  if (is_varying(syntax_, node) && is_floating(node.type)) return text;
  // The common type of a choice's sides, which C gives them by itself: -1 and 1u.
  if (passes_on(node) && node.type->depth == 0 && scalar_of(node.type) &&
      !ends_in_floating(node.type))
    text = fmt::format("({})({})", name_of(*scalar_of(node.type)), text);
  return fmt::format("({})({})", vector(type), text);
}

std::string LaneWriter::choice(const Node& node, ScalarType type) {
  const Node &asked = node.children[0], &yes = node.children[1], &no = node.children[2];
  if (!fits(asked, node.begin, node.end) || !fits(yes, asked.end, node.end) ||
      !fits(no, yes.end, node.end))
    return refuse(node.begin, "a choice next to a macro");
  const std::string mask = condition(asked);
  const bool assigned = std::exchange(may_not_assign_, true);
  const bool risky = risks_.of(yes) || risks_.of(no);
  const std::string when = risky ? new_mask() : mask;
  const std::string first = chosen(yes, type, when), second = chosen(no, type, "~" + when);
  std::string text =
      fmt::format("({} ?{} {} :{} {})", mask_for(type, when), line_breaks(asked.end, yes.begin),
                  first, line_breaks(yes.end, no.begin), second);
  if (risky) text = fmt::format("({} = {}, {})", when, mask, text);
  may_not_assign_ = assigned;
  return text;
}

/// One side of a choice. Where evaluating it with no active lane could do harm, it is evaluated
/// only if a lane chooses it.
std::string LaneWriter::chosen(const Node& side, ScalarType type, const std::string& mask) {
  if (!risks_.of(side)) return as_vector(side, type);
  const std::string here = active_mask();
  const std::string around =
      std::exchange(chosen_, here.empty() ? mask : fmt::format("({} & {})", here, mask));
  const std::string text =
      fmt::format("(any({}) ? {} : ({})(0))", chosen_, as_vector(side, type), vector(type));
  chosen_ = around;
  return text;
}

namespace {

/// Whether an expression may be written twice.
bool is_repeatable(const Node& node) {
  return !any_node(node, [](const Node& n) {
    return n.kind == CXCursor_CallExpr || is_assignment(n) || is_step(n);
  });
}

}  // namespace

/// The variable that an lvalue is part of, or -1 where it lies behind a pointer.
int LaneWriter::base(const Node& node) const {
  if (passes_on(node) || (node.kind == CXCursor_ArraySubscriptExpr && !node.children.empty()))
    return base(passes_on(node) ? node.children.back() : node.children[0]);
  if (node.kind != CXCursor_DeclRefExpr || node.declaration < 0) return -1;
  const auto& named = syntax_.declared(node.declaration);
  const bool is_itself =
      named.type->depth == 0 || (named.type->array && named.kind == Declaration::Kind::variable);
  return is_itself ? node.declaration : -1;
}

/// Whether lanes that are inactive here see a variable later.
bool LaneWriter::outlives(int declaration) const {
  const auto home = homes_.find(declaration);
  return home == homes_.end() || home->second.level < level_;
}

/// Integers and pointers are uniform: where only some lanes are active, none may change that the
/// others see later.
void LaneWriter::check_uniform_change(const Node& target, const Node& node) {
  if (!is_masked()) return;
  // A pointer is itself what changes, not what it points to.
  const Node& named = core(target);
  const bool is_pointer = target.type->depth > 0 && named.kind == CXCursor_DeclRefExpr;
  const int declaration = is_pointer ? named.declaration : base(target);
  if (declaration >= 0 && !outlives(declaration)) return;
  // One that counts the rounds of a loop, unused behind it: lanes that have left do not see it.
  const auto home = homes_.find(declaration);
  if (declaration >= 0 && home != homes_.end() && !loops_.empty()) {
    const Loop& inner = loops_.back();
    if (!inner.is_switch && inner.control.diverges && inner.level == level_ &&
        home->second.level == level_ - 1 && home->second.loops + 1 == loops_.size() &&
        last_mentions_[declaration] < inner.end)
      return;
  }
  refuse(node.begin, "an integer or pointer that changes for some elements only");
}

std::string LaneWriter::assignment(const Node& node) {
  if (node.children.size() != 2 || !node.operation.ends_with('='))
    return refuse(node.begin, "an operator next to a macro");
  if (may_not_assign_) return refuse(node.begin, "an assignment within a condition");
  const Node &left = node.children[0], &right = node.children[1];
  if (!is_floating(left.type)) {
    if (left.type->depth == 0 && is_varying(syntax_, right))
      return refuse(node.begin, varying_integer);
    check_uniform_change(left, node);
    return within(node);
  }
  const bool masks = is_masked() && outlives(base(left));
  const bool is_compound = node.kind == CXCursor_CompoundAssignOperator;
  const bool mixes =
      is_compound && is_floating(right.type) && scalar_of(right.type) != scalar_of(left.type);
  if (!masks && !mixes) return within(node);
  if (!fits(left, node.begin, node.end) || !fits(right, left.end, node.end))
    return refuse(node.begin, "an assignment next to a macro");
  if (!is_repeatable(left)) return refuse(left.begin, "a target that changes as it is used");
  const ScalarType type = *scalar_of(left.type);
  const std::string target = expression(left);
  std::string value = "(" + (is_compound ? expression(right) : as_vector(right, type)) + ")";
  if (is_compound) {
    const std::string operation = node.operation.substr(0, node.operation.size() - 1);
    value = mixes ? fmt::format("convert_{}(convert_{}({}) {} {})", vector(type),
                                vector(*scalar_of(right.type)), target, operation, value)
                  : fmt::format("({} {} {})", target, operation, value);
  }
  const std::string lines = line_breaks(left.end, right.begin);
  if (!masks) return fmt::format("({} = {}{})", target, lines, value);
  return fmt::format("({0} = {3}{1} ? {2} : {0})", target, mask_for(type, mask(level_)), value,
                     lines);
}

/// ++ and --, of a floating-point number as if in front of it.
std::string LaneWriter::step_by_one(const Node& node) {
  if (node.children.size() != 1) return refuse(node.begin, "an operator next to a macro");
  if (may_not_assign_) return refuse(node.begin, "an assignment within a condition");
  const Node& target = node.children[0];
  if (!is_floating(target.type)) {
    check_uniform_change(target, node);
    return within(node);
  }
  if (!fits(target, node.begin, node.end) || !is_repeatable(target))
    return refuse(node.begin, "a step next to a macro");
  const ScalarType type = *scalar_of(target.type);
  const std::string place = expression(target);
  std::string value = fmt::format("({} {} 1)", place, node.operation[0]);
  if (is_masked() && outlives(base(target)))
    value = fmt::format("({} ? {} : {})", mask_for(type, mask(level_)), value, place);
  return fmt::format("({} = {})", place, value);
}

}  // namespace kiln::mesh
