#pragma once

#include <map>
#include <string>
#include <string_view>

#include "mesh/codegen/built_ins.hpp"
#include "mesh/codegen/syntax.hpp"
#include "mesh/codegen/user_text.hpp"

namespace kiln::mesh {

// Kernels that work on several elements at once, one in each lane of OpenCL's vectors. Integers are
// uniform: one scalar for all lanes. Floating-point values are varying: vectors.

/// Copies of a function, and of those that it calls, that work on `lanes` elements at once: each
/// float or double becomes a vector of OpenCL C; literals, constants and integers stay scalars.
/// Where control flow diverges, at an if, loop or return that depends on floating-point numbers,
/// masks say which lanes are active. clang decides in the end, since the copies must compile.
///
/// @param on_vectors built-in functions that keep lanes apart where they are called on vectors of
///         `lanes` numbers: those that are not among them are called for each lane by itself.
/// @return the copies' text, the functions' names with lanes_suffix() behind them; to be put behind
///         the plain text. Error unsupported: the obstacle, with the user's file and line: an
///         integer, index or pointer that depends on floating-point numbers, structs, built-in
///         functions that are not elementwise.
Expected<std::string> lane_copies(const Syntax& syntax, const std::vector<Edit>& plain,
                                  int function, int lanes, const BuiltIns& on_vectors);
std::string lanes_suffix(int lanes);

/// Whether a function moves floating-point numbers without computing with any: then lanes gain
/// nothing, since transposes on the way in and out would be all that they do.
bool only_moves(const Syntax& syntax, int function);

// What the writers of these copies ask of the syntax.

/// Whether an expression is varying: it may differ between lanes, since it uses floating-point
/// numbers other than literals and constants of the mesh.
bool is_varying(const Syntax& syntax, const Node& node);

/// Name of the function that a call means, as it is written.
std::string_view called_name(const Syntax& syntax, const Node& call);
/// Where control flow of one function diverges between lanes.
struct Divergence {
  struct Loop {
    bool diverges = false;   ///< lanes leave it one by one
    bool continues = false;  ///< lanes begin its next round one by one
  };
  std::map<const Node*, Loop> loops;
  bool returns = false;                 ///< lanes return one by one
  const Node* broken_switch = nullptr;  ///< lanes would leave this switch one by one
};
Divergence divergence_of(const Syntax& syntax, const Function& function);

}  // namespace kiln::mesh
