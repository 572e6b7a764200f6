#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

/// Whether a built-in function is called for each lane by itself: of these, vector versions are
/// known in which one lane's value changes what its neighbours get (PoCL 3.1: a base of 0 makes
/// another lane's power infinite), or that take seconds for it (fmod of 0).
bool is_called_by_lane(std::string_view function, ScalarType type);

/// A function that calls a built-in one for each lane.
struct ByLane {
  std::string function;
  ScalarType type = ScalarType::f64;
  int lanes = 1;
  int arguments = 1;
  bool whole_last = false;  ///< the last argument is an int for each lane

  std::string name() const;
  std::string definition() const;
  friend auto operator<=>(const ByLane&, const ByLane&) = default;
};

}  // namespace kiln::mesh
