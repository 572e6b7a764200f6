#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mesh/model/state.hpp"

namespace kiln::mesh {

/// Elements of a set's halo that a loop reads, and what others read of this part's elements in the
/// same loop. Loops that read the same share a class; all parts have the same ones.
struct HaloClass : std::enable_shared_from_this<HaloClass> {
  std::uint64_t id = 0;                   ///< the same on all parts
  const SetState* set = nullptr;          ///< may be gone where nothing is exchanged any more
  std::uint64_t set_id = 0;               ///< SetState::id
  std::vector<HaloNeighbour> neighbours;  ///< rising by rank; those with something to exchange
  bool has_all = false;                   ///< all of the set's halo
  /// Classes that have all of its elements, on every part; it is one of them.
  std::vector<std::uint64_t> within;

  /// Whether a Dat's copies of these elements are what their owners have.
  bool is_fresh(const DatState& dat) const;
  /// They were brought.
  void brought(DatState& dat) const;
};

/// Whether each part that is imported from sends in `larger` at least what it sends in `smaller`.
bool imports_within(std::span<const HaloNeighbour> smaller, std::span<const HaloNeighbour> larger);

}  // namespace kiln::mesh
