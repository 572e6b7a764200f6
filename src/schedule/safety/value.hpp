#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/safety/unit.hpp"

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

}  // namespace kiln::safety
