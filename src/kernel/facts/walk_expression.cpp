#include <algorithm>

#include "kernel/facts/walker.hpp"
#include "kernel/source/condition.hpp"

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

namespace {

/// x, xyz, s0a3, lo, even: components of a vector, which are neither arrays nor pointers.
bool is_component(std::string_view name) {
  if (name == "lo" || name == "hi" || name == "even" || name == "odd") return true;
  if ((name[0] == 's' || name[0] == 'S') && name.size() > 1)
    return name.substr(1).find_first_not_of("0123456789abcdefABCDEF") == name.npos;
  return name.find_first_not_of("xyzw") == name.npos || name.find_first_not_of("rgba") == name.npos;
}

}  // namespace

/// A literal, a name, or an expression in brackets.
Value Walker::primary() {
  switch (token().kind) {
    case TokenKind::number:
    case TokenKind::character:
      ++at_;
      return {};
    case TokenKind::string:
      while (token().kind == TokenKind::string) ++at_;
      return {};
    case TokenKind::identifier:
      return name();
    default:
      break;
  }
  expect(punct("("));
  if (is(punct("{"))) give_up("holds a statement within an expression");
  Value value = comma();
  expect(punct(")"));
  return value;
}

/// A variable with what is known of it, or a call. Other names are constants: they are no part of
/// any address that differs between two places, and come from no memory.
Value Walker::name() {
  const Token& self = token();
  const Word meaning = word();
  if (self.flags & (Token::undecided | Token::unclear_paste))
    give_up("depends on what " + std::string(self.text) + " is defined as");
  if (meaning == Word::sizeof_) return skip_operand();
  if (meaning != Word::name || (self.flags & Token::type_like))
    give_up("cannot follow the text near '" + std::string(self.text) + "'");
  const int variable = variable_of(self);
  ++at_;
  if (is(punct("("))) {
    if (variable >= 0) give_up("calls " + std::string(self.text) + ", which is a variable");
    return call(self);
  }
  Value value;
  if (variable < 0) return value;  // a constant of the program or of the language
  const Variable& known = function_.variables[static_cast<std::size_t>(variable)];
  const Variable& holder = shared(variable);
  value.variable = variable;
  value.roots = known.scalar ? 0 : holder.roots;
  value.tainted = holder.tainted;
  value.own = holder.own;
  value.levels = known.levels;
  value.dimensions = known.dimensions;
  value.through_memory = known.through_memory;
  if (value.roots != 0) set_place(value, text(at_ - 1, at_));
  return value;
}

/// sizeof and its like: their operand is never evaluated.
Value Walker::skip_operand() {
  ++at_;
  if (is(punct("(")))
    at_ = close(at_) + 1;
  else
    unary();  // counted as if it were evaluated, which is safe
  return {};
}

Value Walker::postfix(Value value) {
  for (;;) {
    if (is(punct("["))) {
      value = index(std::move(value));
    } else if (is(punct("."))) {
      value = member(std::move(value), false);
    } else if (is(punct("->"))) {
      value = member(std::move(value), true);
    } else if (is(punct("++")) || is(punct("--"))) {
      Value step;
      step.tainted = value.tainted;
      step.own = value.own;
      store(value, step, true);
      if (!value.memory) assigned(value.variable, at_);
      if (value.memory) {
        value = {};
        value.tainted = true;
      }
      ++at_;
    } else if (is(punct("("))) {
      give_up("calls the result of an expression");
    } else {
      return value;
    }
  }
}

Value Walker::index(Value base) {
  base = pointer_of(std::move(base));
  ++at_;
  const std::uint32_t begin = at_;
  const Value number = load(comma());
  std::string offset = base.roots != 0 ? text(begin, at_) : std::string();
  expect(punct("]"));
  if (base.roots == 0 && number.roots != 0 && !number.weak)
    give_up("indexes a number with a pointer");
  base.tainted |= number.tainted;
  base.own |= number.own;
  return dereference(std::move(base), std::move(offset));
}

/// The type of a member is not known. Where the program has structures with arrays or pointers, a
/// member may be one of those (weak), unless its name is that of a vector's component.
Value Walker::member(Value base, bool arrow) {
  ++at_;
  if (arrow) base = dereference(pointer_of(std::move(base)), "0");
  if (token().kind != TokenKind::identifier)
    give_up("cannot follow the text near '" + std::string(token().text) + "'");
  const bool component = is_component(token().text);
  ++at_;
  const SourceProgram& program = flow_.unit.program;
  const bool may_be_address =
      !component && (program.has_pointer_members || program.has_array_members);
  base.dimensions = 0;
  base.levels = may_be_address || (base.roots != 0 && !base.memory) ? 1 : 0;
  if (base.memory) {
    base.weak = may_be_address;
    base.through_memory = !component && program.has_pointer_members;
  }
  return base;
}

bool Walker::at_cast() const {
  if (!is(punct("("))) return false;
  const Token& first = token(1);
  if (first.kind != TokenKind::identifier || (first.flags & Token::undecided)) return false;
  if (begins_type(flow_.unit.source.word(first)) || (first.flags & Token::type_like)) return true;
  if (variable_of(first) >= 0) return false;
  if (flow_.unit.program.typedefs.contains(first.code)) return true;
  // (T)x with a T that nothing here defines.
  if (!token(2).is(punct(")")) || flow_.unit.functions_named(first.code) != nullptr) return false;
  const Token& operand = token(3);
  return operand.kind == TokenKind::identifier || operand.kind == TokenKind::number ||
         operand.is(punct("("));
}

/// A cast between pointers keeps what is pointed to, under another text, since elements have
/// another size. One from a pointer to a number loses track of it; one back may lead anywhere.
Value Walker::cast() {
  const std::uint32_t begin = at_;
  const std::uint32_t end = close(at_);
  int stars = 0;
  bool elsewhere = false;  // an address space that other devices do not share
  const auto look = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      const Word meaning = flow_.unit.source.word(tokens_[i]);
      if (tokens_[i].is(punct("*")) || tokens_[i].is(punct("["))) ++stars;
      elsewhere |= meaning == Word::local || meaning == Word::private_ || meaning == Word::constant;
    }
  };
  look(begin + 1, end);
  for (std::uint32_t i = begin + 1; i < end; ++i) {
    const auto alias = tokens_[i].kind == TokenKind::identifier
                           ? flow_.unit.program.typedefs.find(tokens_[i].code)
                           : flow_.unit.program.typedefs.end();
    if (alias == flow_.unit.program.typedefs.end()) continue;
    for (const TokenRange range : alias->second) look(range.begin, range.end);
  }
  at_ = end + 1;
  const bool null = token().text == "0" || token().text == "NULL";
  Value value = load(is(punct("{")) ? literal_list() : unary());
  if (stars == 0) {
    if (value.roots != 0 && !value.weak) {
      refuse("turns a pointer into a number, which is another one on each device");
      escape(value, "is turned into a number");
    }
    Value number;
    number.tainted = value.tainted;
    number.own = value.own;
    number.selects = value.selects;
    return number;
  }
  if (value.roots == 0 && (value.variable < 0 || value.levels == 0)) {
    value.variable = -1;
    if (!elsewhere && !null) value.roots = anywhere;  // a number turned into an address
  }
  value.weak = false;
  value.levels = stars;
  value.dimensions = 0;
  value.through_memory = stars > 1;
  if (value.roots != 0) set_place(value, text(begin, end + 1) + address(value));
  return value;
}

/// { a, .b = c, [2] = d }: depends on all its elements.
Value Walker::literal_list() {
  deeper();
  expect(punct("{"));
  Value all;
  while (!is(punct("}"))) {
    while (is(punct(".")) || is(punct("["))) at_ = is(punct("[")) ? close(at_) + 1 : at_ + 2;
    take(punct("="));
    const Value element = load(is(punct("{")) ? literal_list() : assignment());
    all.roots |= element.roots;
    all.tainted |= element.tainted;
    all.own |= element.own;
    all.weak |= element.weak;
    if (element.levels > 0 && element.variable >= 0 && element.roots == 0) {
      all.levels = 1;
      if (all.variable >= 0) share(all.variable, element.variable);
      all.variable = element.variable;
    }
    if (!take(punct(","))) break;
  }
  expect(punct("}"));
  --depth_;
  return all;
}

}  // namespace kiln::safety
