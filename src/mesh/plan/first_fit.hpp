#pragma once

#include <cstdint>
#include <vector>

#include "mesh/plan/columns.hpp"

namespace kiln::mesh {

struct Colouring {
  std::vector<std::int32_t> colours;  ///< by vertex
  std::size_t count = 0;              ///< colours 0 … count - 1 all occur
};

/// The targets that blocks reach, each once, where staging has found them already: pair p's of
/// block b as in MeshPlan.
struct StagedTargets {
  std::span<const std::int32_t> ind_map, ind_sizes, ind_offs;
  std::size_t pairs = 0;
  std::vector<int> pair;  ///< by conflict: which pair has exactly its columns; -1: none
};

/// Colours runs of `run` consecutive positions of the part (the last may be shorter), greedily: a
/// run gets the least colour that no earlier one has with which it shares a target of a conflict.
/// Checks the targets of `columns` as it goes; those of conflicts must be among them, or have been
/// checked. `staged`: runs are blocks, and these are their targets.
Colouring colour_runs(const PlanInput& input, const std::vector<Columns>& conflicts,
                      const Columns& columns, std::size_t run,
                      const StagedTargets* staged = nullptr);

/// The vertices sorted by colour, stably.
std::vector<std::int32_t> starts_of_colours(const Colouring& colouring);
/// The same: `order` gets first + vertex.
void sort_by_colour(const Colouring& colouring, std::span<const std::int32_t> starts,
                    std::int32_t first, std::span<std::int32_t> order);

}  // namespace kiln::mesh
