#include <algorithm>

#include "schedule/safety/walker.hpp"

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

}  // namespace kiln::safety
