#pragma once

#include <clblast.h>

#include <complex>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace clblast_test {

using clblast::StatusCode;

/// An operand as CLBlast's functions take it; `step` is a leading dimension or an increment.
struct Operand {
  cl_mem memory = nullptr;
  size_t offset = 0, step = 1;
};

/// What a family is called with: matrices of n x n, vectors of n.
struct Operands {
  Operand a, b, c, x, y, z;
  size_t n = 4;
  cl_command_queue* queue = nullptr;
  cl_event* event = nullptr;
};

/// A routine with elements of one type. `checked`: its operands as letters, in the order in which
/// they are checked. A capital is an operand whose step is checked, too; 'z' is a result.
struct Family {
  std::string name;
  std::string checked;
  std::function<StatusCode(const Operands&)> call;
};
inline std::ostream& operator<<(std::ostream& to, const Family& family) {
  return to << family.name;
}

/// All routines that CLBlast has for elements of T; those of Her2k's kind under the type of their
/// matrices.
template <class T>
std::vector<Family> families();

/// The families of all types.
std::vector<Family> all_families();

}  // namespace clblast_test
