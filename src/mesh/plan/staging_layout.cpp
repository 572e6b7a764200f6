#include <algorithm>

#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {
namespace {

/// What decides whether pairs share a list: the components as a set.
std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> components) {
  std::ranges::sort(components);
  components.erase(std::unique(components.begin(), components.end()), components.end());
  return components;
}

}  // namespace

StagingLayout staging_layout(std::span<const PlanPair> pairs) {
  StagingLayout layout{std::vector<int>(pairs.size(), -1),
                       std::vector<std::vector<int>>(pairs.size()), 0, 0};
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const PlanPair& pair = pairs[p];
    if (!pair.staged) continue;
    std::size_t like = 0;
    while (like < p && !(pairs[like].staged && pairs[like].map == pair.map &&
                         sorted(pairs[like].components) == sorted(pair.components)))
      ++like;
    layout.list[p] = like < p ? layout.list[like] : static_cast<int>(layout.lists++);
    for (std::size_t slot = 0; slot < pair.components.size(); ++slot) {
      // The first pair of the list, this one included, has the row of each component.
      const auto& first = pairs[like].components;
      const auto found =
          static_cast<std::size_t>(std::ranges::find(first, pair.components[slot]) - first.begin());
      layout.rows[p].push_back(like < p || found < slot ? layout.rows[like][found]
                                                        : static_cast<int>(layout.row_count++));
    }
  }
  return layout;
}

std::size_t loc_bytes_of(const PlanInput& input) {
  const std::size_t elements = std::min<std::size_t>(input.block_size, input.size);
  for (const auto& pair : input.pairs)
    if (pair.staged && std::min(elements * pair.components.size(), input.maps[pair.map].targets) >
                           std::size_t{1} << 16)
      return 4;
  return 2;
}

}  // namespace kiln::mesh
