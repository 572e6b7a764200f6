#pragma once

#include <compare>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/mesh/types.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh {

/// A built-in function of OpenCL C with the type of its numbers.
struct BuiltIn {
  std::string function;
  ScalarType type = ScalarType::f64;

  std::string name() const;           ///< "sin of float"
  std::string name(int lanes) const;  ///< on vectors: "sin of float8"
  friend auto operator<=>(const BuiltIn&, const BuiltIn&) = default;
};
using BuiltIns = std::set<BuiltIn>;

/// Built-in functions that do to each lane what they do to a scalar, as OpenCL has it. Drivers'
/// vector versions may let a lane's value change its neighbours' results: lane_probe.hpp.
bool is_elementwise(std::string_view function);
std::span<const std::string_view> elementwise_built_ins();
/// Whether there is one for numbers of a floating-point type: native functions are of float alone
/// (OpenCL C 1.2, 6.12.2).
bool has_type(std::string_view function, ScalarType type);
/// How many arguments one takes.
int arguments_of(std::string_view function);
/// Whether the last argument of one is an integer for each lane, as pown's.
bool takes_integer(std::string_view function);
/// Built-in functions whose result is true or false for each lane.
bool is_predicate(std::string_view function);

/// The elementwise functions that a loop's kernel may call on vectors: those whose names its text
/// has as calls, for the types that its arguments and its text name. They are found without
/// libclang, so that a program in the store is found without it; a few more than there are does no
/// harm but to the time of the trial.
BuiltIns built_ins_of(const LoopShape& shape);

}  // namespace kiln::mesh
