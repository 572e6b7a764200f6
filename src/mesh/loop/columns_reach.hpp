#pragma once

#include <string>
#include <vector>

#include "mesh/loop/loop_over.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// Holds the vertical offsets of a Map against a loop over columns: no cell may lead out of the
/// target set.
/// @param component the only one that the loop uses, or MapUse::none for all.
/// @return what is wrong, or nothing.
std::string check_columns(MapState& map, const LoopOver& over, int component);

/// Map values for the plans of a loop over columns, instead of a conflict's own ones: a column
/// reaches more targets than its lowest cell. Targets that one column's way up joins become one
/// class, and a value becomes the least target of its class; so columns that could meet anywhere
/// have a value in common. On layered meshes, where each line of nodes has its own numbers, these
/// are the lines, and nothing is coloured that need not be.
///
/// @param maps those of one conflict: all lead to the same set, of `targets` elements.
/// @return for each of the maps its values.
struct ColumnMap {
  MapState* map = nullptr;
  std::vector<std::uint32_t> components;  ///< that the conflict uses
};
std::vector<std::vector<std::int32_t>> column_classes(const std::vector<ColumnMap>& maps,
                                                      std::size_t targets, const LoopOver& over);

}  // namespace kiln::mesh
