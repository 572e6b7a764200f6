#include "mesh/loop/columns_reach.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "kiln/mesh/map.hpp"

namespace kiln::mesh {
namespace {

/// Calls `each(row)` for the elements that a loop may come to.
template <class Each>
void for_rows(const LoopOver& over, const Each& each) {
  if (over.subset != nullptr) {
    for (const auto row : over.subset->indices) each(static_cast<std::size_t>(row));
  } else {
    for (std::size_t row = 0; row < over.set->sizes[2]; ++row) each(row);
  }
}

/// Sets of targets that are merged, each known by its least one.
class Classes {
 public:
  explicit Classes(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  std::int32_t of(std::int32_t target) {
    while (at(target) != target) {
      at(target) = at(at(target));  // halves the way for who comes next
      target = at(target);
    }
    return target;
  }
  void merge(std::int32_t a, std::int32_t b) {
    a = of(a);
    b = of(b);
    at(std::max(a, b)) = std::min(a, b);
  }

 private:
  std::int32_t& at(std::int32_t target) { return parent_[static_cast<std::size_t>(target)]; }
  std::vector<std::int32_t> parent_;
};

}  // namespace

std::string check_columns(MapState& map, const LoopOver& over, int component) {
  const auto values = map.view();
  const auto up = static_cast<std::int64_t>(over.layers) - 2;  // from the lowest to the top cell
  const auto targets = static_cast<std::int64_t>(map.to.total_size());
  std::string wrong;
  for (std::size_t c = 0; c < map.arity; ++c) {
    if (component != MapUse::none && c != static_cast<std::size_t>(component)) continue;
    const std::int64_t climb = up * map.offsets[c];
    const std::int64_t least = std::max<std::int64_t>(0, -climb),
                       end = std::min(targets, targets - climb);
    for_rows(over, [&](std::size_t row) {
      const std::int32_t value = values[row * map.arity + c];
      if ((value >= least && value < end) || !wrong.empty()) return;
      wrong = fmt::format(
          "map {}: element {}, component {} is {}, which {} layers with offset {} take to {}, "
          "expected 0 to {} (set {})",
          map.name, row, c, value, over.layers, map.offsets[c], value + climb, targets - 1,
          map.to.name());
    });
    if (!wrong.empty()) break;
  }
  return wrong;
}

std::vector<std::vector<std::int32_t>> column_classes(const std::vector<ColumnMap>& maps,
                                                      std::size_t targets, const LoopOver& over) {
  Classes classes(targets);
  constexpr std::int32_t never = std::numeric_limits<std::int32_t>::min();
  // Many columns share their lines: each is walked once for an offset.
  std::vector<std::int32_t> walked(targets, never);
  const auto cells = static_cast<std::int64_t>(over.layers) - 1;
  for (const auto& [map, components] : maps)
    for (const std::uint32_t c : components) {
      const auto values = map->view();
      const std::int32_t offset = map->offsets[c];
      if (offset == 0) continue;
      for_rows(over, [&](std::size_t row) {
        const std::int32_t base = values[row * map->arity + c];
        auto& last = walked[static_cast<std::size_t>(base)];
        if (last == offset) return;
        last = offset;
        for (std::int64_t cell = 1; cell < cells; ++cell)
          classes.merge(base, static_cast<std::int32_t>(base + cell * offset));
      });
    }
  std::vector<std::vector<std::int32_t>> all;
  for (const auto& use : maps) {
    const auto values = use.map->view();
    auto& classed = all.emplace_back(values.size());
    std::ranges::transform(values, classed.begin(),
                           [&](std::int32_t value) { return classes.of(value); });
  }
  return all;
}

}  // namespace kiln::mesh
