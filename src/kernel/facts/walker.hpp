#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernel/facts/unit.hpp"

namespace kiln::safety {

/// A set of the pointer parameters of a function: bit k is parameter k. Parameters past the 62nd,
/// and addresses of which nothing is known, are `anywhere`.
using Roots = std::uint64_t;
constexpr Roots anywhere = Roots{1} << 63;
constexpr Roots root(std::size_t parameter) {
  return parameter < 63 ? Roots{1} << parameter : anywhere;
}

/// What is known of an expression.
struct Value {
  Roots roots = 0;       ///< where it may point; of an object in memory, where that lies
  bool memory = false;   ///< an object in the memory of `roots`, not read yet
  bool tainted = false;  ///< depends on values loaded from memory; of an object, its address does
  bool own = false;      ///< differs between work-items along dimension 0
  bool selects = false;  ///< a comparison that picks work-items along dimension 0
  bool weak = false;     ///< `roots` hold only if the member that it came from was an array
  bool through_memory = false;  ///< a pointer that is itself kept in memory
  int variable = -1;            ///< the local variable that it names, lies in or points to
  int dimensions = 0;           ///< of an array within that variable
  int levels = 0;               ///< pointers and arrays still to follow
  std::uint32_t place = 0;      ///< its address as text (Walker::places_), or 0
};

/// A variable or parameter of a function. All scopes are one: a name that is declared twice has the
/// properties of both.
struct Variable {
  std::uint32_t symbol = 0;
  Roots roots = 0;
  bool tainted = false, own = false;  ///< of the variable that holder() gives
  bool scalar = false;                ///< of a built-in type, so that it never holds a pointer
  bool through_memory = false;
  bool changes_unseen = false;  ///< others may write it: through a pointer, or in __local memory
  std::uint32_t declared_at = 0;
  int dimensions = 0, levels = 0;
  int alias = -1;  ///< of the union-find forest of private pointers; -1: a root
  std::vector<std::uint32_t> assigned;  ///< token positions, ascending
};

/// A loop or switch of a function, by the position of its keyword.
struct Loop {
  std::uint32_t end = 0;
  bool tainted = false;  ///< how often it runs depends on loaded values
};

/// One way in which a function touches memory.
struct Access {
  Roots roots = 0;
  std::string address;  ///< equal texts at one work-item mean equal addresses
  bool read = false, written = false;
  bool data_dependent = false;  ///< whether or where depends on loaded values
  bool own = false;          ///< the address differs along dimension 0, or few work-items come here
  std::uint32_t token = 0;   ///< where
  bool in_callee = false;    ///< touched by a function that is called here
  std::uint32_t branch = 0;  ///< the innermost branch around it (FunctionFlow::branches)
};

/// What is known of one function; grows until nothing changes.
struct FunctionFlow {
  const Function* function = nullptr;
  std::vector<Parameter> parameters;
  std::vector<Variable> variables;  ///< the parameters first
  std::unordered_map<std::uint32_t, Loop> loops;
  std::vector<Access> accesses;         ///< of the last pass
  std::vector<std::uint32_t> branches;  ///< of branch k + 1, the branch around it; 0: none
  bool control_tainted = false;         ///< called where loaded values decide
  bool loads = false;                   ///< reads memory, itself or in a function that it calls
  bool returns_tainted = false, returns_own = false;
  Roots returns = 0;  ///< what a returned pointer may point to

  /// The variable that stands for all that share memory with this one.
  int holder(int variable) const {
    while (variables[static_cast<std::size_t>(variable)].alias >= 0)
      variable = variables[static_cast<std::size_t>(variable)].alias;
    return variable;
  }
};

/// Thrown within the analysis, and caught by it, where the text cannot be followed.
struct GiveUp {
  std::uint32_t token;
  std::string why;
};

/// The state of the analysis of a whole program.
struct Flow {
  const Unit& unit;
  std::vector<FunctionFlow> functions;  ///< callees before their callers
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_name;
  bool changed = false;  ///< something grew in this pass
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
  /// `index_of` has an entry of -1 for every symbol; it is used while the walker lives.
  Walker(Flow& flow, FunctionFlow& function, std::vector<std::int32_t>& index_of);
  ~Walker();
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
    std::uint32_t key;  ///< position of the loop's keyword
    bool is_loop;       ///< or a switch
  };

  // Statements (walk_statement.cpp). Each begins at its first token and ends past its last.
  void statement();
  void block();
  void if_statement();
  void for_statement();
  void while_statement();
  void do_statement();
  void switch_statement();
  void return_statement();
  void jump(bool is_break);
  /// Whether a declaration stands here rather than an expression. C needs to know all types to
  /// tell; here words, typedefs and the shape of the first tokens decide.
  bool at_declaration() const;
  void declaration();
  struct Specifiers {
    bool scalar = false, is_typedef = false, is_local = false;
  };
  Specifiers specifiers();
  bool type_name_here(bool type_seen) const;
  void declarator(const Specifiers& specifiers);
  void define(int variable, const Specifiers& specifiers, int stars, int dimensions,
              std::uint32_t at);
  /// `( expression )` of an if, while or switch, read.
  Value condition();
  /// Marks the loops from the innermost out to `outermost` as ended by data, where it is so.
  void leave(std::size_t outermost);

  // Expressions (walk_expression.cpp, walk_operand.cpp), one function a level of C's grammar. What
  // they return is not read yet: the context decides between load(), store() and address_of().
  Value comma();
  Value assignment();
  Value conditional();
  Value binary(int lowest);
  Value unary();
  Value primary();
  Value postfix(Value value);
  Value name();
  /// `[ number ]` behind a value.
  Value index(Value base);
  Value member(Value base, bool arrow);
  Value cast();
  Value skip_operand();
  Value literal_list();
  /// What a binary operator makes of two values; begin and middle are for the address's text.
  Value combine(std::uint32_t code, const Value& left, const Value& right, std::uint32_t begin,
                std::uint32_t middle);
  /// The object at a distance from where a pointer points.
  Value dereference(Value pointer, std::string offset);
  Value address_of(Value object);
  /// Whether a bracket here encloses a type.
  bool at_cast() const;

  // Calls (walk_call.cpp): of functions of the program, which were walked before, and of others.
  Value call(const Token& callee);
  Value call_function(const std::vector<std::uint32_t>& candidates, std::vector<Value>& arguments,
                      std::string_view text, std::uint32_t at);
  Value call_builtin(const Token& callee, std::vector<Value>& arguments,
                     const std::vector<TokenRange>& ranges, std::uint32_t at);
  void bind(FunctionFlow& callee, std::vector<Value>& arguments, std::string_view text,
            std::uint32_t at, Value& result);

  // Memory and variables (walk_memory.cpp). Only here do accesses and taints come into being.
  Value load(Value value);
  Value pointer_of(Value value);
  void store(Value& target, const Value& value, bool also_read);
  void touch(const Value& pointer, bool read, bool written);
  void touch(const Value& pointer, bool read, bool written, std::string address);
  void escape(const Value& value, const std::string& why);
  /// The kernel cannot be split, because of what stands here.
  void refuse(const std::string& why);
  void taint_pointee(const Value& pointer, bool tainted);
  void set_place(Value& value, std::string base);
  void add_offset(Value& value, std::string offset);
  std::string address(const Value& value) const;
  int find(int variable) const;
  void share(int a, int b);
  Variable& shared(int variable) {
    return function_.variables[static_cast<std::size_t>(find(variable))];
  }
  /// The number of a variable of this name, new or known.
  int declare(std::uint32_t symbol);
  int variable_of(const Token& token) const;
  /// Notes that a variable gets a value at a token, so that text() can tell its values apart.
  void assigned(int variable, std::uint32_t at);
  std::string text(std::uint32_t begin, std::uint32_t end) const;

  // tokens
  const Token& token() const { return at_ < end_ ? tokens_[at_] : ended_; }
  const Token& token(std::uint32_t ahead) const {
    return at_ + ahead < end_ ? tokens_[at_ + ahead] : ended_;
  }
  Word word() const { return flow_.unit.source.word(token()); }
  bool is(std::uint32_t punctuator) const { return token().is(punctuator); }
  bool take(std::uint32_t punctuator) {
    if (!is(punctuator)) return false;
    ++at_;
    return true;
  }
  void expect(std::uint32_t punctuator);
  std::uint32_t close(std::uint32_t open) const;
  [[noreturn]] void give_up(std::string why) const { throw GiveUp{at_, std::move(why)}; }
  void deeper();
  bool control_tainted() const { return control_.tainted || exited_.tainted; }
  bool selects() const { return control_.selects || exited_.selects; }

  Flow& flow_;
  FunctionFlow& function_;
  std::vector<std::int32_t>& index_of_;
  const std::vector<Token>& tokens_;
  Token ended_;
  std::uint32_t at_, end_;
  Control control_, exited_;
  std::vector<Nest> nests_;
  /// Addresses as base and offset, so that *(p + i) and p[i] are the same. Only while recording.
  struct Place {
    std::string base, offset;
  };
  std::vector<Place> places_{1};
  int depth_ = 0;
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

}  // namespace kiln::safety
