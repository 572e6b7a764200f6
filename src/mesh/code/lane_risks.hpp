#pragma once

#include <set>
#include <vector>

#include "mesh/code/syntax.hpp"

namespace kiln::mesh {

/// What must not be evaluated where C would not: where no element is there, a division of whole
/// numbers may be by 0, an index beyond its array, and a loop of a function without end.
class LaneRisks {
 public:
  explicit LaneRisks(const Syntax& syntax);
  /// Whether an expression, evaluated for nobody, may end the program or never end.
  bool of(const Node& expression) const;
  /// Whether a function must know which of its elements are there: what the others hold could lead
  /// it where none of those that are there goes, or keep it in a loop.
  bool needs_mask(int function) const { return needs_mask_[static_cast<std::size_t>(function)]; }

 private:
  bool is_steady(const Node& pointer) const;
  bool is_steady_place(const Node& place) const;
  void find_moving();
  void find_moving(const Node& node);
  void set_moving(const Node& pointer);
  bool parts(int function) const;

  const Syntax& syntax_;
  /// Pointers that may point to nothing: they get more than arrays and fixed places in these.
  std::set<int> moving_;
  std::vector<bool> needs_mask_;
};

}  // namespace kiln::mesh
