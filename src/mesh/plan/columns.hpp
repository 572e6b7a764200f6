#pragma once

#include <cstdint>
#include <vector>

#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// The elements of a part that has no subset: position to element.
struct Consecutive {
  std::size_t begin;
  std::size_t operator()(std::size_t position) const { return begin + position; }
};
/// The elements of a part of a subset.
struct Listed {
  const std::int32_t* list;  ///< from the part's first on
  std::size_t operator()(std::size_t position) const {
    return static_cast<std::size_t>(list[position]);
  }
};
/// Calls with the input's elements, whose type decides how inner loops are compiled.
template <class Call>
auto with_elements(const PlanInput& input, Call&& call) {
  if (input.subset) return call(Listed{input.subset->data() + input.begin});
  return call(Consecutive{input.begin});
}

/// One component of a Map.
struct Column {
  std::size_t map = 0;
  std::uint32_t component = 0;
  auto operator<=>(const Column&) const = default;
};
using Columns = std::vector<Column>;  ///< rising, each once

/// A column's values: that of element e at first[e * arity].
struct ColumnValues {
  ColumnValues(const PlanInput& input, Column column)
      : first(input.maps[column.map].values.data() + column.component),
        arity(input.maps[column.map].arity) {}
  std::int32_t at(std::size_t element) const { return first[element * arity]; }
  const std::int32_t* first;
  std::size_t arity;
};

Columns columns_of(std::span<const PlanPair> pairs);
/// Whether all of `part` stands in `whole`.
bool within(const Columns& part, const Columns& whole);
/// The values of all columns at `count` positions in one piece, in the order of the Map's rows;
/// nothing where they do not lie together. What can take them so is much faster.
std::span<const std::int32_t> whole_rows(const PlanInput& input, const Columns& columns,
                                         std::size_t first, std::size_t count);
/// The conflicts as columns, without those that others imply: what shares a target in the smaller
/// one does in the larger.
std::vector<Columns> conflicts_of(const PlanInput& input);

/// Throws Error (bad_input) where the input contradicts itself; the values of Maps are not read.
void check_input(const PlanInput& input);

/// Throws Error (bad_input) where one of the columns leaves its target set at `count` positions
/// from `first` on; it names the first such place.
void check_targets(const PlanInput& input, const Columns& columns, std::size_t first,
                   std::size_t count);

}  // namespace kiln::mesh
