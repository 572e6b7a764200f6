#include "mesh/plan/stage.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "mesh/plan/block_stager.hpp"

namespace kiln::mesh {
namespace {

/// Consecutive blocks that one thread stages. Its lists lie together in ind_map, from `begin` on,
/// with offsets that count from there.
struct Chunk {
  std::size_t first_block = 0, end_block = 0;
  std::size_t begin = 0, used = 0;
};

class Stage {
 public:
  Stage(const PlanInput& input, const StagingLayout& layout, const std::vector<Columns>& conflicts,
        const StagedArrays& into)
      : input_(input),
        layout_(layout),
        conflicts_(conflicts),
        into_(into),
        lists_(staged_lists(input, layout)) {
    Columns staged, all;
    for (const auto& list : lists_) {
      columns_ += list.columns.size();
      staged.insert(staged.end(), list.columns.begin(), list.columns.end());
    }
    for (const auto& columns : conflicts) all.insert(all.end(), columns.begin(), columns.end());
    std::ranges::sort(staged);
    std::ranges::sort(all);
    std::ranges::set_difference(all, staged, std::back_inserter(unstaged_));
  }

  void run(Chunk& chunk, BlockStager& stager) const {
    with_elements(input_, [&](auto elements) {
      for (std::size_t b = chunk.first_block; b < chunk.end_block; ++b) {
        if (into_.loc_bytes == 2)
          block<std::uint16_t>(chunk, b, stager, elements);
        else
          block<std::uint32_t>(chunk, b, stager, elements);
      }
    });
  }

  /// Moves the lists of all chunks together, once every chunk has run.
  std::size_t close_gaps(std::span<const Chunk> chunks) const {
    std::size_t end = 0;
    for (const auto& chunk : chunks) {
      if (end != chunk.begin)
        std::memmove(into_.ind_map.data() + end, into_.ind_map.data() + chunk.begin,
                     chunk.used * sizeof(std::int32_t));
      if (end != 0)
        for (std::size_t b = chunk.first_block; b < chunk.end_block; ++b)
          for (std::size_t p = 0; p < input_.pairs.size(); ++p)
            if (layout_.list[p] >= 0)
              into_.ind_offs[b * input_.pairs.size() + p] += static_cast<std::int32_t>(end);
      end += chunk.used;
    }
    return end;
  }

  std::vector<Chunk> chunks() const {
    const std::size_t blocks = into_.nthrcol.size();
    // One thread needs no pieces, and then nothing has to be moved.
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const std::size_t pieces = threads == 1 ? 1 : std::min(blocks, threads * 8);
    std::vector<Chunk> result;
    for (std::size_t c = 0; c < pieces; ++c) {
      const std::size_t first = blocks * c / pieces;
      result.push_back({first, blocks * (c + 1) / pieces, first * input_.block_size * columns_, 0});
    }
    return result;
  }

  BlockStager stager() const { return {input_, lists_, conflicts_}; }

 private:
  template <class Loc, class Elements>
  void block(Chunk& chunk, std::size_t b, BlockStager& stager, Elements elements) const {
    const std::size_t first = b * input_.block_size;
    const std::size_t count = std::min<std::size_t>(input_.block_size, input_.size - first);
    const std::size_t pairs = input_.pairs.size();
    check_targets(input_, unstaged_, first, count);
    auto* const locs = reinterpret_cast<Loc*>(into_.loc_map.data());
    for (std::size_t l = 0; l < lists_.size(); ++l) {
      check_targets(input_, lists_[l].columns, first, count);
      const std::size_t staged = stager.stage(
          l, elements, first, count, into_.ind_map.data() + chunk.begin + chunk.used, locs);
      for (std::size_t p = lists_[l].pair; p < pairs; ++p) {
        if (layout_.list[p] != static_cast<int>(l)) continue;
        into_.ind_sizes[b * pairs + p] = static_cast<std::int32_t>(staged);
        into_.ind_offs[b * pairs + p] = static_cast<std::int32_t>(chunk.used);
      }
      chunk.used += staged;
    }
    for (std::size_t p = 0; p < pairs; ++p)
      if (layout_.list[p] < 0) into_.ind_sizes[b * pairs + p] = into_.ind_offs[b * pairs + p] = 0;
    into_.nthrcol[b] = stager.colour(elements, first, count, locs, into_.thrcol.data() + first);
  }

  const PlanInput& input_;
  const StagingLayout& layout_;
  const std::vector<Columns>& conflicts_;
  const StagedArrays& into_;
  std::vector<StagedList> lists_;
  std::size_t columns_ = 0;
  Columns unstaged_;  ///< of conflicts, and of no list
};

StagedTotals totals(const PlanInput& input, const StagedArrays& arrays) {
  const std::size_t pairs = input.pairs.size();
  StagedTotals result{0, std::vector<std::int32_t>(pairs), 0, 0};
  for (std::size_t b = 0; b < arrays.nthrcol.size(); ++b) {
    std::size_t bytes = 0;
    for (std::size_t p = 0; p < pairs; ++p) {
      const auto staged = arrays.ind_sizes[b * pairs + p];
      result.nindirect[p] += staged;
      bytes += (static_cast<std::size_t>(staged) * input.pairs[p].element_bytes + 15) / 16 * 16;
    }
    result.nshared = std::max(result.nshared, bytes);
  }
  return result;
}

}  // namespace

StagedTotals stage(const PlanInput& input, const StagingLayout& layout,
                   const std::vector<Columns>& conflicts, const StagedArrays& into) {
  const Stage work(input, layout, conflicts, into);
  auto chunks = work.chunks();
  tbb::enumerable_thread_specific<BlockStager> stagers([&] { return work.stager(); });
  tbb::parallel_for(
      std::size_t{0}, chunks.size(), [&](std::size_t c) { work.run(chunks[c], stagers.local()); },
      tbb::simple_partitioner());
  StagedTotals result = totals(input, into);
  result.ind_map = work.close_gaps(chunks);
  for (const auto& stager : stagers) result.cleared += stager.cleared();
  return result;
}

}  // namespace kiln::mesh
