// Plans as loops read them, and where their staging maps lie.
#include "mesh/plan/mesh_plan.hpp"

#include <algorithm>
#include <cstring>

namespace kiln::mesh {
namespace {

void expect_stored(bool holds, const char* what) {
  if (!holds) throw Error(Errc::corrupt, std::string("mesh plan: ") + what);
}

}  // namespace

MeshPlan::MeshPlan(PlanPtr plan) : plan_(std::move(plan)) {
  try {
    view_arrays();
  } catch (const Error& error) {
    // A head that names another scheme asks for arrays that are not there.
    if (error.code() == Errc::not_found) expect_stored(false, error.message().c_str());
    throw;
  }
}

void MeshPlan::view_arrays() {
  const auto head = plan_->array<std::int64_t>("head");
  expect_stored(head.size_bytes() == sizeof head_ && head[0] == plan_schema, "not of this version");
  expect_stored(std::ranges::all_of(head, [](auto value) { return value >= 0; }),
                "a negative size");
  std::memcpy(static_cast<void*>(&head_), head.data(), sizeof head_);
  expect_stored(scheme() <= Scheme::permuted, "no known scheme");
  expect_stored(first_late_colour() <= ncolors(), "late colours that are not there");
  for_plan_arrays(static_cast<PlanArrays&>(*this), {head_},
                  [&](const char* name, auto& array, std::optional<std::size_t> length) {
                    array = plan_->array<typename std::decay_t<decltype(array)>::value_type>(name);
                    expect_stored(!length || array.size() == *length, name);
                  });
  if (scheme() != Scheme::staged) return;
  expect_stored(loc_first.front() == 0 && std::ranges::is_sorted(loc_first) &&
                    static_cast<std::size_t>(loc_first.back()) == loc_rows.size(),
                "loc_first");
  expect_stored(std::ranges::all_of(loc_rows,
                                    [&](std::int64_t row) {
                                      return row >= 0 &&
                                             row < static_cast<std::int64_t>(head_.loc_rows);
                                    }),
                "loc_rows");
  expect_stored(loc_bytes() == 2 || loc_bytes() == 4, "loc_map has no known width");
}

std::uint32_t MeshPlan::loc(std::size_t pair, std::size_t slot, std::size_t position) const {
  const std::size_t place = loc_row(pair, slot) * size() + position;
  return loc_bytes() == 2 ? reinterpret_cast<const std::uint16_t*>(loc_map.data())[place]
                          : reinterpret_cast<const std::uint32_t*>(loc_map.data())[place];
}

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
