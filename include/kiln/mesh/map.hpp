#pragma once

#include <limits>

#include "kiln/mesh/set.hpp"

namespace kiln::mesh {

/// An iteration index: a Map with it in place of a component calls the kernel once for each.
struct IterationIndex {
  int number = 0;
};
/// The first (0) or second (1) of a loop's iteration indices: `map[index(0)]`.
constexpr IterationIndex index(int number) { return {number}; }

/// A Map as an argument uses it: one component, an iteration index, or, where both are `none`, all
/// components. A use that outlives its Map is an error of the loop that gets it (bad_input).
struct MapUse {
  /// No index that is in any set, so that map[-1] is refused.
  static constexpr int none = std::numeric_limits<int>::min();
  MapState* map = nullptr;
  int component = none;
  int index = none;
};

/// For each element of one set, `arity` elements of another: edges to nodes. Values are int32,
/// row-major: (from.total_size(), arity).
class KILN_API Map : public Handle<MapState> {
 public:
  const std::string& name() const;
  const Set& from() const;
  const Set& to() const;
  std::size_t arity() const;
  /// Until set_values(), or the end of the Map.
  std::span<const std::int32_t> values() const;
  /// Of a distributed mesh: the rows that this part declared, in their order (Mesh::declared_rows),
  /// with numbers of the whole set; else the owned elements' values. All parts call it.
  std::vector<std::int64_t> fetch() const;
  /// By component: how far one layer up is, for extruded sets. Empty: not given.
  std::span<const std::int32_t> offsets() const;
  /// The Map from each element to what is so many cells above its targets, in place now: of an
  /// element's lowest cell that of the cell there. A loop over columns (not their cells) through it
  /// sees the top of each. Throws bad_input where that is not in the target set; of a distributed
  /// mesh it goes by the cut, and a loop after the next one refuses it.
  Map above(std::size_t cells) const;
  /// Replaces all values; plans made of the old ones are not used for the new ones. Loops that are
  /// queued run first. Throws bad_input where the number or a value is wrong, and on a Mesh that is
  /// partitioned, whose halos go by them.
  void set_values(std::span<const std::int32_t> values);

  MapUse operator[](int component) const { return {state_.get(), component, MapUse::none}; }
  MapUse operator[](IterationIndex index) const {
    return {state_.get(), MapUse::none, index.number};
  }
  operator MapUse() const { return {state_.get()}; }  // NOLINT: all components

 private:
  using Handle::Handle;
};

}  // namespace kiln::mesh
