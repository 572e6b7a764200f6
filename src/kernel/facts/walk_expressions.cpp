#include <clang-c/Index.h>

#include <algorithm>
#include <bit>

#include "kernel/facts/flow.hpp"

namespace kiln::facts {
namespace {

/// A number that depends on both.
Value number_of(const Value& a, const Value& b) {
  Value value;
  value.depend(a);
  value.depend(b);
  return value;
}

}  // namespace

Value Walker::expression(const Node& node) {
  at_ = node.begin;
  switch (node.kind) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_StringLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_UnaryExpr:  // sizeof and its like: their operand is never evaluated
      return {};
    case CXCursor_DeclRefExpr:
      return name(node);
    case CXCursor_ParenExpr:
      return node.children.size() == 1 ? expression(node.children[0]) : all_of(node);
    case CXCursor_UnexposedExpr:
      return converted(node);
    case CXCursor_CStyleCastExpr:
      if (node.children.size() != 1) return all_of(node);
      return convert(value_of(node.children[0]), node.children[0], node);
    case CXCursor_ArraySubscriptExpr:
      return index(node);
    case CXCursor_MemberRefExpr:
      return member(node);
    case CXCursor_CallExpr:
      return call(node);
    case CXCursor_UnaryOperator:
      return unary(node);
    case CXCursor_BinaryOperator:
      return binary(node);
    case CXCursor_CompoundAssignOperator:
      return assignment(node, true);
    case CXCursor_ConditionalOperator:
      return conditional(node);
    case CXCursor_CompoundLiteralExpr:
    case CXCursor_InitListExpr:
      return all_of(node);
    case CXCursor_StmtExpr:
      give_up("holds a statement within an expression");
    default:
      give_up_near(node.begin, std::min(node.end, node.begin + 20));
  }
}

/// Depends on all its parts: a list, a vector literal, what is not known better.
Value Walker::all_of(const Node& node) {
  Value all;
  for (const Node& child : node.children) {
    const Value part = value_of(child);
    if (node.type->holds_pointers) all.roots |= part.roots;
    all.depend(part);
    if (!child.type->holds_pointers || part.variable < 0) continue;
    if (all.variable >= 0) share(all.variable, part.variable);
    all.variable = part.variable;
  }
  set_place(all, text(node));
  return all;
}

/// A variable with what is known of it. Other names are constants: they are no part of any address
/// that differs between two places, and come from no memory that a kernel writes.
Value Walker::name(const Node& node) {
  Value value;
  const Declaration* named = flow_.syntax.named(node);
  if (named == nullptr || (named->kind != Declaration::Kind::parameter &&
                           (named->kind != Declaration::Kind::variable || !named->is_in_function)))
    return value;
  value.variable = node.declaration;
  const Variable& holder = shared(value.variable);
  value.roots = named->type->holds_pointers ? holder.roots : 0;
  value.depend(holder);
  set_place(value, text(node));
  return value;
}

/// Conversions of the language, components of vectors, and what libclang has no word for.
Value Walker::converted(const Node& node) {
  if (node.children.size() != 1) {
    // Of a ?: with its middle left out, which part is which is not known.
    const Value all = all_of(node);
    if (node.type->is_address() && (all.roots != 0 || all.variable >= 0))
      give_up_near(node.begin, node.end);
    return all;
  }
  const Node& child = node.children[0];
  Value value = expression(child);
  const bool is_component = flow_.syntax.tokens_in(child.end, node.end).starts_with('.');
  if (is_component) return value;
  if (child.type->form == Type::Form::array && node.type->is_pointer()) {
    if (!value.in_buffer) return value;
    value.in_buffer = false;  // the address of its first element
    set_place(value, address(value));
    return value;
  }
  const bool changes_kind = child.type->is_address() != node.type->is_address() ||
                            child.type->leads_to_buffers != node.type->leads_to_buffers;
  return changes_kind ? convert(load(value, *child.type), child, node) : value;
}

/// A cast between pointers keeps what is pointed to, under another text, since elements have
/// another size. One from a pointer to a number loses track of it; one back may lead anywhere.
Value Walker::convert(Value value, const Node& from, const Node& to) {
  const bool from_pointer = from.type->is_address();
  if (!to.type->is_pointer()) {
    if (from_pointer && to.type->form == Type::Form::value) become_number(value);
    if (from_pointer || !to.type->holds_pointers) value.roots = 0, value.variable = -1;
    return value;
  }
  if (!from_pointer) {
    Value pointer = number_of(value, value);
    const bool null = flow_.syntax.tokens_in(core(from).begin, core(from).end) == "0";
    if (!null && (to.type->space == Space::global || to.type->space == Space::generic))
      pointer.roots = anywhere;
    return pointer;
  }
  const bool hides_pointers =
      (from.type->space == Space::private_ || from.type->space == Space::local) &&
      from.type->leads_to_buffers && !to.type->leads_to_buffers;
  if (hides_pointers) become_number(value);
  if (value.roots != 0)
    set_place(value, flow_.syntax.tokens_in(to.begin, from.begin) + address(value));
  return value;
}

Value Walker::unary(const Node& node) {
  if (node.children.size() != 1) return all_of(node);
  const Node& child = node.children[0];
  const std::string& operation = node.operation;
  if (operation == "*") return dereference(value_of(child), *child.type, node, "0");
  if (operation == "&") return address_of(expression(child));
  if (operation == "++" || operation == "--") return step(node);
  const Value operand = value_of(child);
  Value value = number_of(operand, operand);
  if (operation == "!") {
    value.selects = operand.own || operand.selects;
  } else if (operation != "-" && operation != "+" && operation != "~") {
    give_up_near(node.begin, node.end);
  }
  return value;
}

/// ++ and --, before or behind a variable. A pointer that it moves points to what it did.
Value Walker::step(const Node& node) {
  Value target = expression(node.children[0]);
  Value moved = number_of(target, target);
  store(target, moved, *node.type, true);
  if (target.in_buffer) {
    moved.tainted = true;
    return moved;
  }
  assigned(target, node.end);
  set_place(target, text(node));
  return target;
}

Value Walker::binary(const Node& node) {
  if (node.children.size() != 2) return all_of(node);
  const Node& first = node.children[0];
  const Node& second = node.children[1];
  const std::string& operation = node.operation;
  if (operation.empty()) give_up_near(node.begin, node.end);
  if (operation == "=") return assignment(node, false);
  const Value left = value_of(first);
  if (operation == ",") {
    Value value = value_of(second);
    value.depend(left);
    return value;
  }
  if (operation != "&&" && operation != "||") return combine(node, left, value_of(second));
  const Branch branch(*this, left);  // the right side runs only where the left side lets it
  return combine(node, left, value_of(second));
}

Value Walker::combine(const Node& node, const Value& left, const Value& right) {
  const std::string& operation = node.operation;
  Value value = number_of(left, right);
  const bool is_equality = operation == "==" || operation == "!=";
  const bool is_logical = operation == "&&" || operation == "||";
  value.selects = (is_equality && value.own) || (is_logical && (left.selects || right.selects));
  // Where two buffers lie is a matter of the device and the run; that they are two is not.
  const bool is_ordered = operation == "-" || operation == "<" || operation == ">" ||
                          operation == "<=" || operation == ">=";
  if (is_ordered && left.roots != 0 && right.roots != 0 &&
      std::popcount(left.roots | right.roots) > 1)
    refuse("compares the addresses of two buffers, which lie elsewhere on each device");
  if (!node.type->is_pointer()) return value;  // the difference of two pointers is a number, too
  const bool pointer_first = node.children[0].type->is_address();
  Value pointer = pointer_first ? left : right;
  pointer.depend(value);
  pointer.selects = false;
  std::string number = text(node.children[pointer_first ? 1 : 0]);
  add_offset(pointer, operation == "-" ? "-(" + number + ')' : std::move(number));
  return pointer;
}

Value Walker::assignment(const Node& node, bool compound) {
  if (node.children.size() != 2) return all_of(node);
  const Value target = expression(node.children[0]);
  const Value value = value_of(node.children[1]);
  // p += n moves a pointer: what it points to stays what it was.
  store(target, compound ? number_of(target, value) : value, *node.children[1].type, compound);
  if (!target.in_buffer) assigned(target, node.end);
  Value result = compound && !target.in_buffer ? target : value;  // as a value, what was stored
  if (result.variable < 0 && !target.in_buffer) result.variable = target.variable;
  result.depend(target);
  result.depend(value);
  result.in_buffer = false;
  set_place(result, text(node));
  return result;
}

/// cond ? a : b may point to what either points to, and depends on the condition.
Value Walker::conditional(const Node& node) {
  if (node.children.size() != 3) return converted(node);
  const Value condition = value_of(node.children[0]);
  const Branch branch(*this, condition);
  const Value yes = value_of(node.children[1]), no = value_of(node.children[2]);
  if (node.type->holds_pointers && yes.variable >= 0 && no.variable >= 0)
    share(yes.variable, no.variable);
  Value value = number_of(yes, no);
  value.depend(condition);
  value.variable = yes.variable >= 0 ? yes.variable : no.variable;
  value.roots = yes.roots | no.roots;
  set_place(value, text(node));
  return value;
}

Value Walker::index(const Node& node) {
  if (node.children.size() != 2) return all_of(node);
  const bool pointer_first = !node.children[1].type->is_address();  // 2[p] is p[2]
  const Node& base = node.children[pointer_first ? 0 : 1];
  const Node& number = node.children[pointer_first ? 1 : 0];
  const bool is_vector = !base.type->is_address();
  Value pointer = is_vector ? expression(base) : value_of(base);
  const Value at = value_of(number);
  pointer.depend(at);
  return is_vector ? pointer : dereference(pointer, *base.type, node, text(number));
}

Value Walker::member(const Node& node) {
  if (node.children.size() != 1) return all_of(node);
  const Node& base = node.children[0];
  Value object = base.type->is_pointer() ? dereference(value_of(base), *base.type, node, "0")
                                         : expression(base);
  if (object.in_buffer) return object;
  if (object.variable >= 0) object.roots = shared(object.variable).roots;
  if (base.type->is_union && !node.type->holds_pointers) become_number(object);
  if (!node.type->holds_pointers) object.roots = 0;
  set_place(object, text(node));
  return object;
}

/// Where the type says so, an object in private or local memory: it is one with the variable, and
/// what pointers it may hold point to what the variable's do. Any other is in a buffer.
Value Walker::dereference(Value pointer, const Type& type, const Node& object, std::string offset) {
  pointer.selects = false;
  if (pointer.roots & anywhere) give_up("follows a pointer that may point anywhere");
  if (type.space == Space::constant && pointer.roots == 0) {  // a table of the program
    pointer.variable = -1;
    return pointer;
  }
  const bool is_private = type.space == Space::private_ || type.space == Space::local ||
                          (type.space == Space::generic && pointer.roots == 0);
  if (!is_private) {
    if (pointer.roots == 0 && flow_.recording) give_up("follows a pointer that may point anywhere");
    pointer.in_buffer = true;
    add_offset(pointer, std::move(offset));
    return pointer;
  }
  pointer.followed = true;
  if (pointer.variable < 0) {
    if (type.space == Space::generic && flow_.recording)
      give_up("follows a pointer that may point anywhere");
    pointer.tainted = true;
    pointer.roots = object.type->holds_pointers ? anywhere : 0;
    return pointer;
  }
  const Variable& holder = shared(pointer.variable);
  pointer.depend(holder);
  pointer.roots = object.type->holds_pointers ? holder.roots : 0;
  set_place(pointer, text(object));
  return pointer;
}

/// &p[i] is a pointer with the address of the object that was not read. Of a variable, the address
/// lets others change it unseen.
Value Walker::address_of(Value object) {
  object.followed = false;
  if (object.in_buffer) {
    object.in_buffer = false;
    return object;
  }
  if (object.variable < 0) return object;
  variable(object.variable).changes_unseen = true;
  object.roots = shared(object.variable).roots;
  set_place(object, "&" + std::to_string(at_));
  return object;
}

}  // namespace kiln::facts
