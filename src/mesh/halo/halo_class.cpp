// What of a set's halo belongs together, and when a Dat's copies are fresh.
#include "mesh/halo/halo_class.hpp"

#include <algorithm>

namespace kiln::mesh {

bool HaloClass::is_fresh(const DatState& dat) const {
  if (!dat.is_halo_stale) return true;
  return std::ranges::any_of(dat.fresh_classes, [&](const auto& known) {
    return std::ranges::find(within, known->id) != within.end();
  });
}

void HaloClass::brought(DatState& dat) const {
  if (has_all)
    dat.halo_is_fresh();
  else
    dat.fresh_classes.push_back(shared_from_this());
}

bool imports_within(std::span<const HaloNeighbour> smaller, std::span<const HaloNeighbour> larger) {
  return std::all_of(smaller.begin(), smaller.end(), [&](const HaloNeighbour& one) {
    if (one.imports.empty()) return true;
    const auto other = std::ranges::find(larger, one.rank, &HaloNeighbour::rank);
    if (other == larger.end()) return false;
    std::vector<std::int32_t> theirs = other->imports, mine = one.imports;
    std::ranges::sort(theirs);
    std::ranges::sort(mine);
    return std::ranges::includes(theirs, mine);
  });
}

}  // namespace kiln::mesh
