#include "mesh/plan/columns.hpp"

#include <algorithm>

namespace kiln::mesh {

Columns columns_of(std::span<const PlanPair> pairs) {
  Columns columns;
  for (const auto& pair : pairs)
    for (const auto component : pair.components) columns.push_back({pair.map, component});
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

bool within(const Columns& part, const Columns& whole) {
  return std::ranges::includes(whole, part);
}

std::span<const std::int32_t> whole_rows(const PlanInput& input, const Columns& columns,
                                         std::size_t first, std::size_t count) {
  if (input.subset || columns.empty() || columns.front().map != columns.back().map) return {};
  const auto& map = input.maps[columns.front().map];
  if (columns.size() != map.arity) return {};
  return map.values.subspan((input.begin + first) * map.arity, count * map.arity);
}

std::vector<Columns> conflicts_of(const PlanInput& input) {
  std::vector<Columns> all, needed;
  for (const auto& conflict : input.conflicts) all.push_back(columns_of(conflict.through));
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool implied = all[i].empty();
    for (std::size_t other = 0; other < all.size() && !implied; ++other)
      implied = other != i && within(all[i], all[other]) && (all[i] != all[other] || other < i);
    if (!implied) needed.push_back(all[i]);
  }
  return needed;
}

}  // namespace kiln::mesh
