#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/program/plan.hpp"

namespace kiln::mesh {

/// A Map as plans see it. Views; the values stay where they are.
struct MapView {
  std::span<const std::int32_t> values;  ///< rows x arity, row-major
  std::size_t arity = 1;
  std::size_t targets = 0;     ///< elements of the set that it points to; every value is below
  std::uint64_t identity = 0;  ///< differs between Maps of one process
  std::uint64_t version = 0;   ///< grows when the values change
  std::string_view name;       ///< for messages only
};

/// A (Dat, Map) pair in the order of first appearance, with the components that the loop uses, in
/// the order of its arguments, each once.
struct PlanPair {
  std::size_t map = 0;  ///< position in PlanInput::maps
  std::vector<std::uint32_t> components;
  std::size_t element_bytes = 8;  ///< itemsize * cdim: what staging one element takes
  bool staged = true;             ///< false: only there for conflicts
  bool operator==(const PlanPair&) const = default;
};

/// Elements that may not run at once if they reach the same target through any of these (one Dat
/// that is written through Maps; the row Map of a matrix).
struct PlanConflict {
  std::vector<PlanPair> through;  ///< `components` and `map` count
  bool operator==(const PlanConflict&) const = default;
};

/// How conflicts are kept apart.
enum class Scheme : std::uint8_t {
  blocks,    ///< blocks of consecutive elements; blocks of a colour share no target
  staged,    ///< blocks, colours of elements within a block, and staging maps
  permuted,  ///< elements sorted by colour, no blocks: those of a colour share no target
};

/// All that a plan depends on.
struct PlanInput {
  std::size_t set_size = 0;         ///< of the whole set, for the identity of subsets and parts
  std::size_t begin = 0, size = 0;  ///< the part: elements begin … begin + size - 1
  std::optional<std::span<const std::int32_t>> subset;  ///< elements are subset[begin …]
  std::uint64_t subset_identity = 0, subset_version = 0;
  std::uint32_t block_size = 256;
  Scheme scheme = Scheme::blocks;
  /// Scheme::permuted: elements at this position and behind it get late colours only, which those
  /// before it may have, too; 0, or size: there are none.
  std::size_t first_late = 0;
  std::vector<MapView> maps;  ///< each Map once, by first appearance
  std::vector<PlanPair> pairs;
  std::vector<PlanConflict> conflicts;
};

inline bool has_late(const PlanInput& input) {
  return input.first_late > 0 && input.first_late < input.size;
}

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
