#pragma once

#include <string>
#include <vector>

#include "mesh/codegen/user_text.hpp"

namespace kiln::mesh {

/// A loop's kernel, read and found to fit the loop.
struct UserKernel {
  Syntax syntax;
  int function = -1;  ///< in syntax.functions: the kernel itself

  const Function& kernel() const { return syntax.function(function); }
  const Declaration& parameter(std::size_t argument) const {
    return syntax.declared(kernel().parameters[argument]);
  }
};

/// Reads a loop's kernel and checks it against the loop: that there is one of this name, the number
/// of its parameters (arguments, then iteration indices), pointer depth and type of each, that it
/// does not write where the loop says READ, and that it does not read first, as far as that is
/// certain (read_before_write), where the loop says WRITE. Errors: bad_input, with the user's file
/// and line or with the argument's number and name; unsupported where there is no libclang.
Expected<UserKernel> read_kernel(const LoopShape& shape);

}  // namespace kiln::mesh
