#include "kernel/source/precedence.hpp"
#include "schedule/safety/walker.hpp"

namespace kiln::safety {
namespace {

bool is_assignment(const Token& token) {
  if (token.kind != TokenKind::punctuator) return false;
  switch (token.code) {
    case punct("="):
    case punct("+="):
    case punct("-="):
    case punct("*="):
    case punct("/="):
    case punct("%="):
    case punct("&="):
    case punct("^="):
    case punct("|="):
    case punct("<<="):
    case punct(">>="):
      return true;
    default:
      return false;
  }
}

/// Whether a value can be an address: a pointer, an array, or a member that may be one.
bool is_pointer(const Value& value) { return value.roots != 0 || value.levels > 0; }

/// A number that depends on both.
Value number_of(const Value& a, const Value& b) {
  Value value;
  value.tainted = a.tainted || b.tainted;
  value.own = a.own || b.own;
  return value;
}

}  // namespace

/// Also the elements of a vector literal, (float4)(a, b, c, d): the value depends on all.
Value Walker::comma() {
  Value value = assignment();
  while (take(punct(","))) {
    const Value before = load(std::move(value));
    value = load(assignment());
    value.tainted |= before.tainted;
    value.own |= before.own;
  }
  return value;
}

/// The left side is parsed as any operand; only the operator behind it says that it is written.
Value Walker::assignment() {
  deeper();
  const std::uint32_t begin = at_;
  Value target = conditional();
  if (is_assignment(token())) {
    const bool compound = !is(punct("="));
    const std::uint32_t operation = at_++;
    const Value value = load(assignment());
    if (!compound) {
      store(target, value, false);
    } else {
      // p += n moves a pointer: what it points to stays what it was.
      Value sum = number_of(target, value);
      if (!target.memory && is_pointer(target)) sum.levels = target.levels;
      store(target, sum, true);
    }
    if (!target.memory) assigned(target.variable, operation);
    if (target.memory) {  // as a value, it is what was stored
      target = value;
    } else if (!compound) {
      const int variable = target.variable;
      target = value;
      if (target.variable < 0) target.variable = variable;
    }
    target.tainted |= value.tainted;
    if (target.roots != 0) set_place(target, text(begin, at_));
  }
  --depth_;
  return target;
}

/// cond ? a : b may point to what either points to, and depends on the condition.
Value Walker::conditional() {
  const std::uint32_t begin = at_;
  Value condition = binary(1);
  if (!is(punct("?"))) return condition;
  ++at_;
  condition = load(std::move(condition));
  const Branch branch(*this, condition);
  Value yes = load(comma());
  expect(punct(":"));
  deeper();
  Value no = load(conditional());
  --depth_;
  if (is_pointer(yes) && is_pointer(no) && yes.variable >= 0 && no.variable >= 0 &&
      yes.roots == 0 && no.roots == 0)
    share(yes.variable, no.variable);
  Value value = is_pointer(yes) ? yes : no;
  value.roots = yes.roots | no.roots;
  value.weak = yes.weak && no.weak;
  value.tainted = yes.tainted || no.tainted || condition.tainted;
  value.own = yes.own || no.own || condition.own;
  value.selects = false;
  set_place(value, text(begin, at_));
  return value;
}

/// Precedence climbing over the levels of precedence().
Value Walker::binary(int lowest) {
  const std::uint32_t begin = at_;
  Value left = unary();
  for (;;) {
    const int level = precedence(token());
    if (level == 0 || level < lowest) return left;
    const std::uint32_t code = token().code;
    const std::uint32_t middle = at_++;
    left = load(std::move(left));
    Value right;
    if (level <= 2) {  // && and ||: the right side runs only where the left side lets it
      const Branch branch(*this, left);
      right = load(binary(level + 1));
    } else {
      right = load(binary(level + 1));
    }
    left = combine(code, left, right, begin, middle);
  }
}

Value Walker::combine(std::uint32_t code, const Value& left, const Value& right,
                      std::uint32_t begin, std::uint32_t middle) {
  Value value = number_of(left, right);
  const bool equality = code == punct("==") || code == punct("!=");
  value.selects = (equality && value.own) ||
                  ((code == punct("&&") || code == punct("||")) && (left.selects || right.selects));
  const bool sum = code == punct("+") || code == punct("-");
  // Where two buffers lie is a matter of the device and the run; that they are two is not.
  const bool ordered = code == punct("-") || code == punct("<") || code == punct(">") ||
                       code == punct("<=") || code == punct(">=");
  if (ordered && left.roots != 0 && right.roots != 0 && left.roots != right.roots && !left.weak &&
      !right.weak)
    refuse("compares the addresses of two buffers, which lie elsewhere on each device");
  if (!sum || is_pointer(left) == is_pointer(right) || (is_pointer(right) && code == punct("-"))) {
    return value;  // the difference of two pointers is a number, too
  }
  const bool pointer_first = is_pointer(left);
  Value pointer = pointer_first ? left : right;
  pointer.tainted = value.tainted;
  pointer.own = value.own;
  if (pointer.dimensions > 0) {  // an array plus a number points to an element
    pointer.dimensions = 0;
    if (pointer.roots != 0) give_up("computes with an array of pointers");
  }
  if (flow_.recording && pointer.roots != 0) {
    std::string number = pointer_first ? text(middle + 1, at_) : text(begin, middle);
    if (code == punct("-")) number = "-(" + number + ')';
    add_offset(pointer, std::move(number));
  }
  return pointer;
}

Value Walker::unary() {
  deeper();
  Value value;
  const Token& first = token();
  if (first.kind != TokenKind::punctuator) {
    value = postfix(primary());
  } else if (take(punct("*"))) {
    value = dereference(pointer_of(unary()), "0");
  } else if (take(punct("&"))) {
    value = address_of(unary());
  } else if (is(punct("++")) || is(punct("--"))) {
    const std::uint32_t operation = at_++;
    value = unary();
    Value step = number_of(value, value);
    store(value, step, true);
    if (!value.memory) assigned(value.variable, operation);
    if (value.memory) {
      value = number_of(value, value);
      value.tainted = true;
    }
  } else if (take(punct("!"))) {
    const Value operand = load(unary());
    value = number_of(operand, operand);
    value.selects = operand.own || operand.selects;
  } else if (take(punct("-")) || take(punct("+")) || take(punct("~"))) {
    const Value operand = load(unary());
    value = number_of(operand, operand);
  } else if (at_cast()) {
    value = cast();
  } else {
    value = postfix(primary());
  }
  --depth_;
  return value;
}

/// An array within a variable is left for its element; a pointer without roots is private or local,
/// and what it points to is one with its variable; any other leads to an object in memory.
Value Walker::dereference(Value pointer, std::string offset) {
  if (pointer.dimensions > 0) {
    --pointer.dimensions;
    --pointer.levels;
    return pointer;
  }
  if (pointer.levels > 0) --pointer.levels;
  if (pointer.roots == 0) return pointer;  // private or local memory
  pointer.memory = true;
  pointer.weak = false;
  add_offset(pointer, std::move(offset));
  return pointer;
}

/// &p[i] is a pointer with the address of the object that was not read. Of a variable, the address
/// lets others change it unseen; of a pointer variable, that would be more than is followed.
Value Walker::address_of(Value object) {
  if (object.memory) {
    object.memory = false;
    object.weak = object.through_memory = false;
    if (object.levels == 0) object.levels = 1;
    return object;
  }
  if (object.variable < 0) give_up("takes the address of what is no variable");
  if (object.roots != 0) give_up("takes the address of a pointer");
  function_.variables[static_cast<std::size_t>(object.variable)].changes_unseen = true;
  object.dimensions = 0;
  ++object.levels;
  return object;
}

}  // namespace kiln::safety
