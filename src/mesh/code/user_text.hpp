#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "mesh/code/edits.hpp"
#include "mesh/code/syntax.hpp"

namespace kiln::mesh {

/// What each function of a text needs of the constants: its own and those of the functions that it
/// calls. In OpenCL C 1.2 a value that the host sets reaches a function as a parameter only, so
/// that every function gets those that it needs behind its own parameters, under their names.
class ConstantUse {
 public:
  explicit ConstantUse(const Syntax& syntax);
  /// Numbers of constants, rising.
  const std::set<int>& of(int function) const { return used_[static_cast<std::size_t>(function)]; }
  /// Whether an array is only ever indexed: then it stays in constant memory. Else (somebody takes
  /// a pointer to it) functions get a pointer to a private copy.
  bool only_indexed(int constant) const { return indexed_[static_cast<std::size_t>(constant)]; }
  /// ", double gam, __constant const double *qinf" for a function's parameters.
  std::string parameters(int function, bool first) const;
  /// ", gam, qinf" for a call.
  std::string arguments(int function, bool first) const;

 private:
  const Syntax& syntax_;
  std::vector<std::set<int>> used_;
  std::vector<bool> indexed_;
};

/// Calls `visit` for a node and all below it.
void visit_nodes(const Node& node, const std::function<void(const Node&)>& visit);

/// Functions that `function` calls, itself first, each once.
std::vector<int> reachable(const Syntax& syntax, int function);

/// Number of the text's function that a call or name means, or -1.
int callee(const Syntax& syntax, const Node& node);

/// A call of one of the text's functions as it is written, be it in a macro's body or in what a
/// macro is given: libclang says of such a call only where the macro stands. A function's name in
/// front of a ( is nothing else, since names of functions are known everywhere.
struct CallSite {
  int function = -1;
  std::uint32_t begin = 0, end = 0;  ///< of the name
  std::uint32_t close = 0;           ///< the )
};
std::vector<CallSite> call_sites(const Syntax& syntax);

/// Edits that make the text OpenCL C 1.2 where all pointers point to private memory: constants as
/// parameters, every function static (in C99 an inline one would have no definition), and short
/// loops marked to be unrolled.
std::vector<Edit> plain_edits(const Syntax& syntax, const ConstantUse& constants);

}  // namespace kiln::mesh
