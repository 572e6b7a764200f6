// A function's expressions for several elements at once.
#include <clang-c/Index.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/source/lexer.hpp"
#include "mesh/code/lane_writer.hpp"

namespace kiln::mesh {
namespace {

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
bool steps(const Node& node) { return node.operation == "++" || node.operation == "--"; }

/// What stands within parentheses and conversions that clang adds.
const Node& core(const Node& node) { return passes_on(node) ? core(node.children.back()) : node; }

/// Whether an expression may be written twice.
bool is_repeatable(const Node& node) {
  bool repeatable = node.kind != CXCursor_CallExpr && !is_assignment(node) && !steps(node);
  for (const auto& child : node.children) repeatable = repeatable && is_repeatable(child);
  return repeatable;
}

constexpr const char* from_real = "a whole number that depends on real numbers";

}  // namespace

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
          return refuse(child.begin, "an index that depends on real numbers");
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
      return is_real(node.type)    ? choice(node, *node.type.scalar)
             : node.type.depth > 0 ? refuse(node.begin, "a pointer that depends on real numbers")
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
  const auto as_mask = [&](ScalarType type, const std::string& text) {
    if (size_of(type) == size_of(mask_)) return "(" + text + ")";
    return fmt::format("convert_{}({})", mask_type(), text);
  };
  if (is_truth(node) && node.children.size() == 2) {
    const CType& type = node.children[0].type;
    if (!is_real(type)) return refuse(node.begin, from_real);
    const bool assigned = std::exchange(may_not_assign_, true);
    const std::string text = within(node);
    may_not_assign_ = assigned;
    return as_mask(*type.scalar, text);
  }
  if (node.kind == CXCursor_CallExpr && is_question(called_name(syntax_, node)) &&
      node.children.size() > 1 && is_real(node.children[1].type))
    return as_mask(*node.children[1].type.scalar, built_in(node));
  if (passes_on(node) && !is_real(node.type)) return condition(node.children.back());
  if (is_real(node.type)) return as_mask(*node.type.scalar, expression(node) + " != 0");
  return refuse(node.begin, from_real);
}

/// The second side is not evaluated where the first one decides for all lanes.
std::string LaneWriter::logical(const Node& node) {
  const Node &left = node.children[0], &right = node.children[1];
  const bool both = node.operation == "&&";
  const auto part = [&](const Node& side) {
    return is_wide(syntax_, side)
               ? condition(side)
               : fmt::format("(({1}) ? ({0})(-1) : ({0})(0))", mask_type(), expression(side));
  };
  if (!fits(left, node.begin, node.end) || !fits(right, left.end, node.end))
    return refuse(node.begin, "a condition that a macro writes");
  const std::string lines = breaks(left.end, right.begin);
  const bool assigned = std::exchange(may_not_assign_, true);
  const std::string text =
      is_wide(syntax_, left)
          ? fmt::format("({} {}{} {})", part(left), both ? "&" : "|", lines, part(right))
      : both ? fmt::format("(({1}) ? {3}{2} : ({0})(0))", mask_type(), expression(left),
                           part(right), lines)
             : fmt::format("(({1}) ? ({0})(-1) : {3}{2})", mask_type(), expression(left),
                           part(right), lines);
  may_not_assign_ = assigned;
  return text;
}

/// What an expression without vectors comes to is the same in all lanes.
std::string LaneWriter::as_vector(const Node& node, ScalarType type) {
  const std::string text = expression(node);
  return is_wide(syntax_, node) && is_real(node.type) ? text
                                                      : fmt::format("({})({})", vector(type), text);
}

std::string LaneWriter::choice(const Node& node, ScalarType type) {
  const Node &asked = node.children[0], &yes = node.children[1], &no = node.children[2];
  if (!fits(asked, node.begin, node.end) || !fits(yes, asked.end, node.end) ||
      !fits(no, yes.end, node.end))
    return refuse(node.begin, "a choice beside a macro");
  const std::string mask = mask_for(type, condition(asked));
  const bool assigned = std::exchange(may_not_assign_, true);
  const std::string text =
      fmt::format("({} ?{} {} :{} {})", mask, breaks(asked.end, yes.begin), as_vector(yes, type),
                  breaks(yes.end, no.begin), as_vector(no, type));
  may_not_assign_ = assigned;
  return text;
}

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
  refuse(node.begin, "a whole number or pointer that changes for some elements only");
}

/// What stands behind an assignment's operator, as a vector of a type if one is given.
std::string LaneWriter::assigned(const Node& node, std::optional<ScalarType> type) {
  const Node &left = node.children[0], &right = node.children[1];
  std::string text;
  if (fits(right, left.end, node.end)) {
    if (type) return as_vector(right, *type);
    text = expression(right);
  } else {
    // A macro begins it.
    check_verbatim(right);
    const Lexed lexed = lex(std::string_view(syntax_.source->text()).substr(left.end, 256));
    if (lexed.tokens.empty()) return refuse(node.begin, "an assignment beside a macro");
    text = slice(left.end + lexed.tokens[0].end, node.end);
  }
  return type && !(is_wide(syntax_, right) && is_real(right.type))
             ? fmt::format("({})({})", vector(*type), text)
             : "(" + text + ")";
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

std::string LaneWriter::cast(const Node& node) {
  if (node.children.empty()) return refuse(node.begin, "what is written here");
  const Node& operand = node.children.back();
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
  if (writes && is_masked()) called_in_part_.insert(called);
  std::string text = within(node);
  if (!masked_.contains(called) || text.empty()) return text;
  text.pop_back();
  return text +
         fmt::format(", {})", is_masked() ? mask(level_) : fmt::format("({})(-1)", mask_type()));
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
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = node.children[i];
    if (!fits(child, at, node.end)) {
      check_verbatim(child);
      continue;
    }
    text += slice(at, child.begin);
    if (i == 0)
      text += slice(child.begin, child.end);
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
