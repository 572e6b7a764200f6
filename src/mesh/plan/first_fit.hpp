#pragma once

#include <cstdint>
#include <vector>

#include "mesh/plan/columns.hpp"

namespace kiln::mesh {

struct Colouring {
  std::vector<std::int32_t> colours;  ///< by vertex
  std::size_t count = 0;              ///< colours 0 … count - 1 all occur
};

/// Colours runs of `run` consecutive positions of the part (the last may be shorter), greedily: a
/// run gets the least colour that no earlier one has with which it shares a target of a conflict.
/// Checks the targets of `columns`, which contain the conflicts', as it goes.
Colouring colour_runs(const PlanInput& input, const std::vector<Columns>& conflicts,
                      const Columns& columns, std::size_t run);

/// The vertices sorted by colour, stably.
std::vector<std::int32_t> starts_of_colours(const Colouring& colouring);
/// The same: `order` gets first + vertex.
void sort_by_colour(const Colouring& colouring, std::span<const std::int32_t> starts,
                    std::int32_t first, std::span<std::int32_t> order);

}  // namespace kiln::mesh
