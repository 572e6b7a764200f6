#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "mesh/distributed/mesh_rows.hpp"

/// Columns of a mesh that is being distributed: elements that maps with vertical offsets lead to
/// above each other, and all that have numbers between them. A column stays as it is, numbers one
/// behind the other, wherever its elements have local numbers: so that offsets hold there, too.
namespace kiln::mesh {

/// How far up and down a component of a map leads from its value, in numbers of elements.
inline std::pair<std::int64_t, std::int64_t> reach_of(const MapState& map, std::size_t component) {
  if (map.layers < 3) return {0, 0};  // one cell
  const std::int64_t climb = static_cast<std::int64_t>(map.layers - 2) * map.offsets[component];
  return {std::min<std::int64_t>(climb, 0), std::max<std::int64_t>(climb, 0)};
}

/// The lowest number of the column of targets that an entry of a map begins.
inline std::int64_t lowest_of(const MapRows& map, std::size_t entry) {
  return map.rows()[entry] + reach_of(*map.state, entry % map.arity).first;
}

/// Finds the columns of all sets (SetRows::depth, SetRows::height). All parts call it. Throws
/// unsupported where one has more than 2^31 - 1 elements.
void find_columns(MeshRows& mesh);

/// All of a column goes to the part that is to own its first element. All parts call it.
void unite_columns(Transport& transport, SetRows& set);

/// After migrate(): which of the owned elements begin a column (SetRows::begins). All parts call
/// it.
void find_begins(MeshRows& mesh);

/// The end of the column of owned elements that begins at a place of SetRows::numbers.
inline std::size_t end_of_column(const SetRows& set, std::size_t begin) {
  std::size_t end = begin + 1;
  if (!set.begins.empty())
    while (end < set.begins.size() && set.begins[end] == 0) ++end;
  return end;
}

/// Of elements in any order: each column as it is, where the first of its elements comes.
std::vector<std::int32_t> with_whole_columns(const SetRows& set, std::vector<std::int32_t> order);

}  // namespace kiln::mesh
