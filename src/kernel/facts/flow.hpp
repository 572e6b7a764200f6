#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/facts/builtins.hpp"
#include "kernel/facts/syntax.hpp"

namespace kiln::facts {

/// A set of the parameters of a function that lead to buffers: bit k is parameter k. Parameters
/// past the 62nd, and addresses of which nothing is known, are `anywhere`.
using Roots = std::uint64_t;
constexpr Roots anywhere = Roots{1} << 63;
constexpr Roots root(std::size_t parameter) {
  return parameter < 63 ? Roots{1} << parameter : anywhere;
}

/// What is known of an expression.
struct Value {
  Roots roots = 0;         ///< where what it holds may point; of an object in a buffer, which
  bool in_buffer = false;  ///< an object in the memory of `roots`, not read yet
  bool tainted = false;    ///< depends on values loaded from memory; of an object, its address does
  bool own = false;        ///< differs between work-items along dimension 0
  bool selects = false;    ///< a comparison that picks work-items along dimension 0
  bool followed = false;   ///< an object behind a pointer to private memory
  int variable = -1;       ///< the local variable that it names, lies in or points to
  /// Its address as text, base and offset, so that *(p + i) and p[i] are the same. Only while
  /// recording, of what leads to buffers.
  std::string base, offset;

  /// Notes that it depends on another value or variable, too.
  template <class Other>
  void depend(const Other& other) {
    tainted |= other.tainted;
    own |= other.own;
  }
};

/// A variable or parameter of a function.
struct Variable {
  Roots roots = 0;
  bool tainted = false, own = false;  ///< of the variable that holder() gives
  bool changes_unseen = false;  ///< others may write it: through a pointer, or in __local memory
  bool leads_outside = false;   ///< a parameter that points to what is the caller's
  int alias = -1;               ///< of the union-find forest of private pointers; -1: a root
  std::vector<std::uint32_t> assigned;  ///< places behind which it has another value, ascending
};

/// A loop or switch of a function, by where it begins.
struct Loop {
  std::uint32_t end = 0;
  bool tainted = false;  ///< how often it runs depends on loaded values
};

/// One way in which a function touches buffers.
struct Access {
  Roots roots = 0;
  std::string address;  ///< equal texts at one work-item mean equal addresses
  bool read = false, written = false;
  bool data_dependent = false;  ///< whether or where depends on loaded values
  bool own = false;          ///< the address differs along dimension 0, or few work-items come here
  std::uint32_t at = 0;      ///< where
  bool in_callee = false;    ///< touched by a function that is called here
  std::uint32_t branch = 0;  ///< the innermost branch around it (FunctionFlow::branches)
};

/// What is known of one function; grows until nothing changes.
struct FunctionFlow {
  const Function* function = nullptr;
  std::unordered_map<int, Variable> variables;  ///< by their declarations
  std::unordered_map<std::uint32_t, Loop> loops;
  std::vector<Access> accesses;         ///< of the last pass
  std::vector<std::uint32_t> branches;  ///< of branch k + 1, the branch around it; 0: none
  bool control_tainted = false;         ///< called where loaded values decide
  bool loads = false;                   ///< reads memory, itself or in a function that it calls
  bool has_goto = false;
  bool returns_tainted = false, returns_own = false;
  Roots returns = 0;  ///< what a returned pointer may point to

  /// The variable that stands for all that share memory with this one.
  int holder(int variable) {
    while (variables[variable].alias >= 0) variable = variables[variable].alias;
    return variable;
  }
  /// From now on what one holds the other holds: private pointers and what they point to. Whether
  /// that is new.
  bool share(int a, int b);
};

/// Thrown within the analysis, and caught by it, where the text cannot be followed.
struct GiveUp {
  std::uint32_t at;
  std::string why;
};

/// The state of the analysis of a whole program.
struct Flow {
  const Syntax& syntax;
  std::vector<FunctionFlow> functions;                     ///< callees before their callers
  std::unordered_map<std::size_t, std::size_t> by_number;  ///< of a function in Syntax::functions
  bool changed = false;                                    ///< something grew in this pass
  bool first_pass = true;
  bool recording = false;  ///< the last pass: accesses with their texts are wanted
  std::vector<std::string> suspicions;
  std::vector<std::string> reasons;  ///< against any split

  /// Sets a flag and notes that something grew.
  void raise(bool& flag, bool value) {
    if (value && !flag) flag = changed = true;
  }
  void raise(Roots& roots, Roots more) {
    if ((roots | more) != roots) roots |= more, changed = true;
  }
};

/// Walks once through a function's body, statement by statement, and follows what its pointers
/// point to and which values come from memory. Throws GiveUp at what it does not understand.
class Walker {
 public:
  Walker(Flow& flow, FunctionFlow& function) : flow_(flow), function_(function) {}
  void run();

 private:
  struct Control {
    bool tainted = false;      ///< loaded values decide whether this place is reached
    bool selects = false;      ///< only work-items that compare in some way come here
    std::uint32_t branch = 0;  ///< number of the innermost branch, 0 outside of all
  };
  /// Restores the control context at the end of a branch.
  class Branch;
  struct Nest {
    std::uint32_t key;  ///< where the loop begins
    bool is_loop;       ///< or a switch
  };

  // Statements (walk_statements.cpp).
  void statement(const Node& node);
  void if_statement(const Node& node);
  void loop_statement(const Node& node);
  void switch_statement(const Node& node);
  void return_statement(const Node& node);
  void jump(const Node& node);
  void declare(const Node& node);
  /// Marks the loops from the innermost out to `outermost` as ended by data, where it is so.
  void leave(std::size_t outermost);

  // Expressions (walk_expressions.cpp). What they return is not read yet: the context decides
  // between load(), store() and address_of().
  Value expression(const Node& node);
  Value value_of(const Node& node) { return load(expression(node), *node.type); }
  Value name(const Node& node);
  Value converted(const Node& node);
  /// What a cast or a conversion of the language makes of a value.
  Value convert(Value value, const Node& from, const Node& to);
  Value unary(const Node& node);
  Value binary(const Node& node);
  Value assignment(const Node& node, bool compound);
  Value step(const Node& node);
  Value conditional(const Node& node);
  Value index(const Node& node);
  Value member(const Node& node);
  /// Depends on all its parts: a list, a vector literal, what is not known better.
  Value all_of(const Node& node);
  /// What a binary operator makes of two values.
  Value combine(const Node& node, const Value& left, const Value& right);
  /// The object at a distance from where a pointer points.
  Value dereference(Value pointer, const Type& type, const Node& object, std::string offset);
  Value address_of(Value object);

  // Calls (walk_calls.cpp): of functions of the program, which were walked before, and of others.
  Value call(const Node& node);
  Value bind(FunctionFlow& callee, std::vector<Value>& arguments, const Node& node);
  Value call_builtin(const std::string& name, std::vector<Value>& arguments, const Node& node);

  // Memory and variables (walk_memory.cpp). Only here do accesses and taints come into being.
  Value load(Value value, const Type& type);
  /// `type` is the value's.
  void store(const Value& target, const Value& value, const Type& type, bool also_read);
  void touch(const Value& pointer, bool read, bool written);
  void touch(const Value& pointer, bool read, bool written, std::string address);
  void escape(const Value& value, const std::string& why);
  /// The kernel cannot be split, because of what stands here.
  void refuse(const std::string& why);
  /// A pointer is made a number.
  void become_number(const Value& pointer);
  void taint_pointee(const Value& pointer, bool tainted);
  void set_place(Value& value, std::string base);
  void add_offset(Value& value, std::string offset);
  std::string address(const Value& value) const;
  void share(int a, int b) { flow_.changed |= function_.share(a, b); }
  Variable& variable(int number) { return function_.variables[number]; }
  Variable& shared(int number) { return variable(function_.holder(number)); }
  /// Notes that a variable has another value behind a place, so that text() can tell its values
  /// apart.
  void assigned(const Value& target, std::uint32_t at);
  /// An expression as text. A variable carries which of its assignments came last and in which
  /// loop, so that equal texts mean equal values at one work-item.
  std::string text(const Node& node) const;
  void append_text(const Node& node, std::string& to) const;
  void append_version(const Node& node, std::string& to) const;

  [[noreturn]] void give_up(std::string why) const { throw GiveUp{at_, std::move(why)}; }
  [[noreturn]] void give_up_near(std::uint32_t begin, std::uint32_t end) const {
    give_up("cannot follow the text near '" + flow_.syntax.tokens_in(begin, end) + "'");
  }
  bool control_tainted() const { return control_.tainted || exited_.tainted; }
  bool selects() const { return control_.selects || exited_.selects; }

  Flow& flow_;
  FunctionFlow& function_;
  std::uint32_t at_ = 0;  ///< the innermost expression that is looked at
  Control control_, exited_;
  std::vector<Nest> nests_;
};

class Walker::Branch {
 public:
  Branch(Walker& walker, const Value& condition) : walker_(walker), before_(walker.control_) {
    walker.function_.branches.push_back(walker.control_.branch);
    walker.control_.branch = static_cast<std::uint32_t>(walker.function_.branches.size());
    walker.control_.tainted |= condition.tainted;
    walker.control_.selects |= condition.selects;
  }
  ~Branch() { walker_.control_ = before_; }
  Branch(const Branch&) = delete;

 private:
  Walker& walker_;
  Control before_;
};

}  // namespace kiln::facts
