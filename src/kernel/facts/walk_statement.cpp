#include <algorithm>

#include "kernel/facts/walker.hpp"

namespace kiln::safety {

void Walker::run() {
  control_.tainted = function_.control_tainted;
  function_.branches.clear();
  while (at_ < end_) statement();
}

void Walker::statement() {
  deeper();
  switch (word()) {
    case Word::attribute:  // a hint for the loop that follows
      ++at_;
      if (is(punct("("))) at_ = close(at_) + 1;
      break;
    case Word::if_:
      if_statement();
      break;
    case Word::for_:
      for_statement();
      break;
    case Word::while_:
      while_statement();
      break;
    case Word::do_:
      do_statement();
      break;
    case Word::switch_:
      switch_statement();
      break;
    case Word::return_:
      return_statement();
      break;
    case Word::break_:
      jump(true);
      break;
    case Word::continue_:
      jump(false);
      break;
    case Word::goto_:  // any order of statements is possible
      flow_.raise(function_.control_tainted, true);
      at_ += 2;
      expect(punct(";"));
      break;
    case Word::case_:
      ++at_;
      load(conditional());
      if (take(punct("..."))) load(conditional());
      expect(punct(":"));
      break;
    case Word::default_:
      ++at_;
      expect(punct(":"));
      break;
    case Word::asm_:
      give_up("holds assembler code");
    default:
      if (is(punct("{"))) {
        block();
      } else if (take(punct(";"))) {
      } else if (token().text == "_Pragma") {
        ++at_;
        if (is(punct("("))) at_ = close(at_) + 1;
      } else if (token().kind == TokenKind::identifier && token(1).is(punct(":"))) {
        at_ += 2;  // a label
      } else if (at_declaration()) {
        declaration();
      } else {
        load(comma());
        expect(punct(";"));
      }
  }
  --depth_;
}

void Walker::block() {
  ++at_;
  while (at_ < end_ && !is(punct("}"))) statement();
  expect(punct("}"));
}

Value Walker::condition() {
  expect(punct("("));
  Value value = load(comma());
  expect(punct(")"));
  return value;
}

/// What stands in either branch runs only where the condition, whose value may come from memory,
/// lets it.
void Walker::if_statement() {
  ++at_;
  const Value when = condition();
  const Branch branch(*this, when);
  statement();
  if (word() != Word::else_) return;
  ++at_;
  statement();
}

/// The step is walked before the body that it follows: nothing here depends on that order, since
/// what is known of variables only grows, and passes repeat until it does not.
void Walker::for_statement() {
  const std::uint32_t key = at_++;
  expect(punct("("));
  nests_.push_back({key, true});
  if (at_declaration()) {
    declaration();
  } else {
    if (!is(punct(";"))) load(comma());
    expect(punct(";"));
  }
  Value when;
  if (!is(punct(";"))) when = load(comma());
  expect(punct(";"));
  when.tainted |= function_.loops[key].tainted;
  {
    const Branch branch(*this, when);
    if (!is(punct(")"))) load(comma());
    expect(punct(")"));
    statement();
  }
  nests_.pop_back();
  function_.loops[key].end = at_;
}

void Walker::while_statement() {
  const std::uint32_t key = at_++;
  nests_.push_back({key, true});
  Value when = condition();
  when.tainted |= function_.loops[key].tainted;
  {
    const Branch branch(*this, when);
    statement();
  }
  nests_.pop_back();
  function_.loops[key].end = at_;
}

/// The condition stands behind the body; what it says of it counts in the next pass.
void Walker::do_statement() {
  const std::uint32_t key = at_++;
  nests_.push_back({key, true});
  Value when;
  when.tainted = function_.loops[key].tainted;
  {
    const Branch branch(*this, when);
    statement();
  }
  if (word() != Word::while_) give_up("has a do without while");
  ++at_;
  const Value again = condition();
  expect(punct(";"));
  nests_.pop_back();
  Loop& loop = function_.loops[key];
  flow_.raise(loop.tainted, again.tainted);
  loop.end = at_;
}

/// All of its body is under the condition, whichever label is taken.
void Walker::switch_statement() {
  const std::uint32_t key = at_++;
  Value when = condition();
  when.tainted |= function_.loops[key].tainted;
  when.selects |= when.own;
  nests_.push_back({key, false});
  {
    const Branch branch(*this, when);
    statement();
  }
  nests_.pop_back();
}

/// Loops and switches from here out to `outermost` end early where loaded values say so.
void Walker::leave(std::size_t outermost) {
  if (!control_tainted()) return;
  for (std::size_t i = outermost; i < nests_.size(); ++i)
    flow_.raise(function_.loops[nests_[i].key].tainted, true);
}

void Walker::return_statement() {
  ++at_;
  if (!is(punct(";"))) {
    const Value value = load(comma());
    flow_.raise(function_.returns_tainted, value.tainted || control_tainted());
    flow_.raise(function_.returns_own, value.own);
    if (!value.weak) flow_.raise(function_.returns, value.roots);
  }
  expect(punct(";"));
  leave(0);
  // Whatever follows runs only where this was not reached.
  exited_.tainted |= control_tainted();
  exited_.selects |= selects();
}

/// break or continue. A continue within a switch leaves the switch, too.
void Walker::jump(bool is_break) {
  ++at_;
  expect(punct(";"));
  if (nests_.empty()) give_up("leaves a loop that is not there");
  std::size_t target = nests_.size() - 1;
  while (!is_break && target > 0 && !nests_[target].is_loop) --target;
  leave(target);
}

bool Walker::at_declaration() const {
  const Token& first = token();
  if (first.kind != TokenKind::identifier) return false;
  if (begins_type(word())) return true;
  if (word() != Word::name) return false;
  if (first.flags & Token::type_like) return true;
  if (variable_of(first) >= 0 || flow_.unit.functions_named(first.code) != nullptr) return false;
  if (flow_.unit.program.typedefs.contains(first.code)) return true;
  if (token(1).kind == TokenKind::identifier) return true;
  // T *p = … with a T that nothing here defines: as a product it would be of no use.
  const Token& after = token(3);
  return token(1).is(punct("*")) && token(2).kind == TokenKind::identifier &&
         (after.is(punct("=")) || after.is(punct(";")) || after.is(punct(",")));
}

/// Whether the name at this place is the type of a declaration, rather than what it declares.
bool Walker::type_name_here(bool type_seen) const {
  if (token().kind != TokenKind::identifier || word() != Word::name) return false;
  return (token().flags & Token::type_like) || !type_seen;
}

/// Everything in front of the first declared name or star. Undecided branches may leave two types
/// in a row (`double float x`); that is no matter here.
Walker::Specifiers Walker::specifiers() {
  Specifiers result;
  bool type_seen = false, pointer_type = false, aggregate = false;
  const auto look_into = [&](std::uint32_t symbol) {
    const auto alias = flow_.unit.program.typedefs.find(symbol);
    if (alias == flow_.unit.program.typedefs.end()) {
      aggregate = true;  // not known: it may hold anything
      return;
    }
    for (const TokenRange range : alias->second) {
      for (std::uint32_t i = range.begin; i < range.end; ++i) {
        pointer_type |= tokens_[i].is(punct("*"));
        aggregate |= flow_.unit.source.word(tokens_[i]) == Word::aggregate;
        aggregate |= tokens_[i].is(punct("["));
        result.is_local |= flow_.unit.source.word(tokens_[i]) == Word::local;
        if (tokens_[i].kind == TokenKind::identifier && tokens_[i].code != symbol &&
            flow_.unit.program.typedefs.contains(tokens_[i].code))
          aggregate = true;  // a typedef of a typedef
      }
    }
  };
  for (;; ++at_) {
    const Word meaning = word();
    if (meaning == Word::attribute) {
      if (token(1).is(punct("("))) at_ = close(at_ + 1);
    } else if (begins_type(meaning)) {
      type_seen |= is_type_word(meaning) || meaning == Word::aggregate;
      result.is_typedef |= meaning == Word::typedef_;
      result.is_local |= meaning == Word::local;
      if (meaning == Word::aggregate) {
        aggregate |= token().text != "enum";
        if (token(1).kind == TokenKind::identifier) ++at_;
        if (token(1).is(punct("{"))) give_up("defines a structure within a function");
      }
    } else if (type_name_here(type_seen)) {
      if (token().flags & Token::undecided)
        give_up("depends on what " + std::string(token().text) + " is defined as");
      if (!(token().flags & Token::type_like)) look_into(token().code);
      type_seen = true;
    } else {
      break;
    }
  }
  if (pointer_type) give_up("declares a variable of a pointer type that hides behind a name");
  result.scalar = !aggregate;
  return result;
}

void Walker::declaration() {
  const Specifiers common = specifiers();
  if (common.is_typedef) give_up("defines a type within a function");
  while (!is(punct(";"))) {
    declarator(common);
    if (!take(punct(","))) break;
  }
  expect(punct(";"));
}

/// One declared name with its stars, sizes and initialiser.
void Walker::declarator(const Specifiers& common) {
  int stars = 0, dimensions = 0;
  const auto pointers = [&] {
    while (is(punct("*")) || begins_type(word())) {
      if (is(punct("*"))) ++stars;
      ++at_;
    }
  };
  pointers();
  const bool bracketed = take(punct("("));
  if (bracketed) pointers();
  if (token().kind != TokenKind::identifier || word() != Word::name)
    give_up("cannot follow the text near '" + std::string(token().text) + "'");
  const std::uint32_t at = at_;
  const std::uint32_t symbol = token().code;
  if (token().flags & Token::undecided)
    give_up("depends on what " + std::string(token().text) + " is defined as");
  ++at_;
  if (bracketed) expect(punct(")"));
  if (is(punct("("))) {  // a prototype
    at_ = close(at_) + 1;
    return;
  }
  while (take(punct("["))) {
    ++dimensions;
    if (!is(punct("]"))) load(comma());
    expect(punct("]"));
  }
  if (bracketed) {  // a pointer to an array
    stars += dimensions;
    dimensions = 0;
  }
  while (word() == Word::attribute) {
    ++at_;
    if (is(punct("("))) at_ = close(at_) + 1;
  }
  const int variable = declare(symbol);
  define(variable, common, stars, dimensions, at);
  if (!is(punct("="))) return;
  const std::uint32_t operation = at_++;
  const Value value = load(is(punct("{")) ? literal_list() : assignment());
  Value target;
  target.variable = variable;
  store(target, value, false);
  assigned(variable, operation);
}

/// Scopes are not kept apart: one name has one set of properties in a function, so a name that is
/// declared twice must mean the same kind of thing.
void Walker::define(int index, const Specifiers& common, int stars, int dimensions,
                    std::uint32_t at) {
  Variable& variable = function_.variables[static_cast<std::size_t>(index)];
  const bool scalar = common.scalar && stars == 0;
  const bool is_parameter = static_cast<std::size_t>(index) < function_.parameters.size();
  const bool known = variable.declared_at != 0 || is_parameter;
  if (known && variable.declared_at != at) {
    // One name for two things: harmless only where neither is an address.
    const bool same = variable.dimensions == dimensions && variable.levels == stars + dimensions;
    if (!same || (variable.scalar != scalar && is_parameter))
      give_up("declares " + std::string(flow_.unit.name(variable.symbol)) +
              " twice with different types");
    variable.scalar = variable.scalar && scalar;
    variable.changes_unseen |= common.is_local;
    return;
  }
  variable.declared_at = at;
  variable.scalar = scalar;
  variable.dimensions = dimensions;
  variable.levels = stars + dimensions;
  variable.through_memory = stars > 1;
  variable.changes_unseen |= common.is_local;
}

}  // namespace kiln::safety
