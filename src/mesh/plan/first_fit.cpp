#include "mesh/plan/first_fit.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace kiln::mesh {
namespace {

/// One pass: colours base … base + bits of Mask - 1. Passes give what unbounded masks would: who
/// finds all bits taken waits, and only those who wait share the next base.
template <class Mask>
class Pass {
 public:
  Pass(const PlanInput& input, const std::vector<Columns>& conflicts, const StagedTargets* staged)
      : staged_(staged) {
    masks_.reserve(conflicts.size());
    for (std::size_t c = 0; c < conflicts.size(); ++c) {
      const auto& columns = conflicts[c];
      masks_.emplace_back(input.maps[columns[0].map].targets);
      if (staged != nullptr && staged->pair[c] >= 0) {
        lists_.push_back({static_cast<std::size_t>(staged->pair[c]), masks_.back().data()});
        continue;
      }
      for (const auto& column : columns)
        entries_.push_back({ColumnValues(input, column), masks_.back().data()});
    }
  }

  /// The least free bit of the run of positions first … end - 1, which is then taken at all its
  /// targets; -1: none is free.
  template <class Elements>
  int take(Elements elements, std::size_t run, std::size_t first, std::size_t end) {
    Mask taken = 0;
    for (const auto& [values, masks] : entries_)
      for (std::size_t i = first; i < end; ++i) taken |= masks[values.at(elements(i))];
    for (const auto& [pair, masks] : lists_)
      for (const auto target : targets(run, pair)) taken |= masks[target];
    if (taken == std::numeric_limits<Mask>::max()) return -1;
    const int bit = std::countr_one(taken);
    const auto mark = static_cast<Mask>(Mask{1} << bit);
    // Copies, because a write to a mask, being a byte, could change anything that lies in memory.
    for (const auto [values, masks] : entries_)
      for (std::size_t i = first; i < end; ++i) masks[values.at(elements(i))] |= mark;
    for (const auto [pair, masks] : lists_)
      for (const auto target : targets(run, pair)) masks[target] |= mark;
    return bit;
  }

 private:
  struct Entry {
    ColumnValues values;
    Mask* masks;
  };
  struct List {
    std::size_t pair;
    Mask* masks;
  };
  std::span<const std::int32_t> targets(std::size_t run, std::size_t pair) const {
    const std::size_t at = run * staged_->pairs + pair;
    return staged_->ind_map.subspan(static_cast<std::size_t>(staged_->ind_offs[at]),
                                    static_cast<std::size_t>(staged_->ind_sizes[at]));
  }
  const StagedTargets* staged_;
  std::vector<std::vector<Mask>> masks_;  // by target, for each conflict
  std::vector<Entry> entries_;
  std::vector<List> lists_;
};

}  // namespace

Colouring colour_runs(const PlanInput& input, const std::vector<Columns>& conflicts,
                      const Columns& columns, std::size_t run, const StagedTargets* staged) {
  const std::size_t vertices = (input.size + run - 1) / run;
  Colouring result{std::vector<std::int32_t>(vertices), 0};
  const auto end_of = [&](std::size_t v) { return std::min(input.size, (v + 1) * run); };
  std::vector<std::size_t> waiting;
  const auto colour = [&](std::size_t vertex, int base, int bit) {
    if (bit < 0) {
      waiting.push_back(vertex);
      return;
    }
    result.colours[vertex] = base + bit;
    result.count = std::max(result.count, static_cast<std::size_t>(base + bit) + 1);
  };
  with_elements(input, [&](auto elements) {
    {
      // Masks of a byte keep more of a mesh in the cache, and eight colours mostly suffice.
      Pass<std::uint8_t> pass(input, conflicts, staged);
      // Checked in pieces that are still in the cache when they are used.
      const std::size_t piece = std::max<std::size_t>(1, 512 / run);
      for (std::size_t v = 0; v < vertices; ++v) {
        if (v % piece == 0)
          check_targets(input, columns, v * run,
                        end_of(std::min(v + piece, vertices) - 1) - v * run);
        colour(v, 0, pass.take(elements, v, v * run, end_of(v)));
      }
    }
    for (int base = 8; !waiting.empty(); base += 64) {
      Pass<std::uint64_t> pass(input, conflicts, staged);
      for (const auto v : std::exchange(waiting, {}))
        colour(v, base, pass.take(elements, v, v * run, end_of(v)));
    }
  });
  return result;
}

std::vector<std::int32_t> starts_of_colours(const Colouring& colouring) {
  std::vector<std::int32_t> starts(colouring.count + 1);
  for (const auto colour : colouring.colours) ++starts[static_cast<std::size_t>(colour) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

void sort_by_colour(const Colouring& colouring, std::span<const std::int32_t> starts,
                    std::int32_t first, std::span<std::int32_t> order) {
  std::vector<std::int32_t> next(starts.begin(), starts.end());
  for (std::size_t v = 0; v < colouring.colours.size(); ++v)
    order[static_cast<std::size_t>(next[static_cast<std::size_t>(colouring.colours[v])]++)] =
        first + static_cast<std::int32_t>(v);
}

}  // namespace kiln::mesh
