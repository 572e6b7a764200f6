#pragma once

#include <string>
#include <vector>

#include "mesh/object/scalar.hpp"

namespace kiln::mesh {

/// Elements lie in memory row by row; lanes want one component of several elements each. The text
/// that turns the one into the other moves whole pieces of elements and then exchanges numbers
/// within such pieces only, which CPUs do with one instruction for each vector. Written out
/// in these steps, since compilers find worse ones by themselves.
struct Turn {
  ScalarType type = ScalarType::f64;
  int lanes = 1, dim = 1;

  /// Numbers that move together.
  int piece() const { return dim % 4 == 0 && lanes % 4 == 0 ? 4 : 2; }
  /// Whether elements and lanes come in whole pieces.
  bool possible() const {
    return lanes > 1 && dim % piece() == 0 && lanes % piece() == 0 && size_of(type) >= 4;
  }
  /// `name`[k], vectors of lanes, from the elements that `rows` point to, one for each lane.
  std::string to_lanes(const std::string& name, const std::vector<std::string>& rows) const;
  /// Declares the pieces of `name`'s elements.
  std::string to_rows(const std::string& name) const;
  /// One of them: numbers `piece() * number` … of a lane's element.
  std::string row_piece(const std::string& name, int lane, int number) const;

 private:
  std::string vector(int width) const;
  std::string settle(const std::string& name) const;
  std::string exchange(const std::vector<std::string>& from, const std::vector<std::string>& to,
                       const std::string& made) const;
};

}  // namespace kiln::mesh
