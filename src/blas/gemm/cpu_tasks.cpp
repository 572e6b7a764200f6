#include "blas/gemm/cpu_tasks.hpp"

#include <algorithm>

namespace kiln::blas {
namespace {

/// Half of a second-level cache holds the part of the first factor that a task multiplies. OpenCL
/// tells only the size of some cache; 1 MiB is what current cores have.
constexpr std::size_t cache = 512 << 10;
constexpr std::size_t most_column_panels = 16;

/// Multiplications that are worth another team: some tens of microseconds, which waking it takes.
constexpr std::size_t work_of_team = std::size_t{4} << 20;

/// Tasks for each team, so that the last to end is not long after the first: fewer where they would
/// be small, since each brings its panels from another core's cache.
constexpr std::size_t parts_of_team = 12, least_parts_of_team = 3, packs_of_team = 2;
constexpr std::size_t work_of_part = std::size_t{3} << 20;  ///< multiplications, at least

}  // namespace

CpuTasks CpuTasks::of(const GemmTiles& tiles, std::size_t compute_units, std::size_t element_bytes,
                      std::size_t rows, std::size_t columns, std::size_t depth, bool in_place) {
  const std::size_t row_end = panels_of(rows, tiles.rows);
  const std::size_t column_end = panels_of(columns, tiles.columns);
  const std::size_t blocks = panels_of(depth, tiles.depth);
  CpuTasks tasks;
  // Blocks of one size: a last one of a few columns would write the whole result for little.
  tasks.block = panels_of(depth, blocks);
  tasks.lead = in_place ? blocks : 1;
  tasks.slots = std::min(blocks, tasks.lead + 1);
  tasks.teams =
      std::clamp<std::size_t>(rows * columns / 64 * depth * 64 / work_of_team, 1, compute_units);

  const std::size_t packs = tasks.teams == 1 ? 1 : tasks.teams * packs_of_team;
  tasks.first_panels = panels_of(row_end, packs);
  tasks.second_panels = panels_of(column_end, packs);

  tasks.row_panels =
      std::clamp<std::size_t>(cache / (tiles.rows * tasks.block * element_bytes), 1, row_end);
  tasks.column_panels = std::min(most_column_panels, column_end);
  const auto parts = [&] {
    return panels_of(row_end, tasks.row_panels) * panels_of(column_end, tasks.column_panels);
  };
  const auto are_few = [&](std::size_t least) { return blocks * parts() < tasks.teams * least; };
  const auto is_large = [&] {
    return tasks.row_panels * tiles.rows * tasks.column_panels * tiles.columns * tasks.block >=
           2 * work_of_part;
  };
  while (tasks.teams > 1 && tasks.row_panels * tasks.column_panels > 1 &&
         (are_few(least_parts_of_team) || (are_few(parts_of_team) && is_large()))) {
    const bool by_rows = tasks.row_panels > 1 &&
                         tasks.row_panels * tiles.rows >= tasks.column_panels * tiles.columns;
    auto& longer = by_rows || tasks.column_panels == 1 ? tasks.row_panels : tasks.column_panels;
    longer = (longer + 1) / 2;
  }
  tasks.counters = 2 * blocks + parts();
  return tasks;
}

}  // namespace kiln::blas
