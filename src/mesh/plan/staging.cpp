// Staging: what the blocks of a plan keep of their targets, and the colours of elements within
// blocks. Blocks are independent: threads take chunks of them, and the gaps between chunks are
// closed.
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "mesh/plan/mesh_plan.hpp"
#include "mesh/plan/parallel.hpp"

namespace kiln::mesh {
namespace {

/// A set of small numbers that gives them back in rising order and is empty again then, in time
/// that depends on how many there are, hardly on how large they may be: sorting without
/// comparisons, in a work array that is never cleared as a whole (what PyOP2 did for each block).
///
/// A mark a number, a mark for each 64 numbers, a mark for each 4096. Marks are bytes: writing one
/// waits for no earlier one, as setting a bit in a word does when neighbours come in a row.
/// Not thread-safe.
class IndexSet {
 public:
  /// Of numbers below `end`.
  explicit IndexSet(std::size_t end)
      : marks_(padded(end)), groups_(padded(end / 64 + 1)), top_(padded(end / 4096 + 1)) {}

  /// Inserts numbers: a copy of where marks go, which compilers keep in registers (they must take a
  /// mark, being a byte, for a change of anything that lies in memory).
  class Inserter {
   public:
    explicit Inserter(IndexSet& set)
        : marks_(set.marks_.data()), groups_(set.groups_.data()), top_(set.top_.data()) {}
    void operator()(std::uint32_t value) const {
      marks_[value] = 1;
      groups_[value >> 6] = 1;
      top_[value >> 12] = 1;
    }

   private:
    std::uint8_t *marks_, *groups_, *top_;
  };

  /// Writes the numbers to `out`, rising, and to place[number] how many came before it; removes
  /// them. How many there were.
  std::uint32_t drain(std::int32_t* out, std::uint32_t* place) {
    std::uint32_t count = 0;
    for (std::size_t t = 0; t < top_.size(); t += 64)
      for (auto groups = take(top_, t); groups != 0; groups &= groups - 1)
        for (std::size_t g = (t + place_of(groups)) * 64, marks = take(groups_, g); marks != 0;
             marks &= marks - 1) {
          const std::size_t first = (g + place_of(marks)) * 64;
          for (auto values = take(marks_, first); values != 0; values &= values - 1) {
            const std::size_t value = first + place_of(values);
            out[count] = static_cast<std::int32_t>(value);
            place[value] = count++;
          }
        }
    return count;
  }

 private:
  static std::size_t padded(std::size_t marks) { return (marks + 63) / 64 * 64; }
  static std::size_t place_of(std::uint64_t bits) {
    return static_cast<std::size_t>(std::countr_zero(bits));
  }
  /// The marks at first … first + 63 as bits; they are gone then.
  static std::uint64_t take(std::vector<std::uint8_t>& marks, std::size_t first) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      std::uint64_t eight;
      std::memcpy(&eight, marks.data() + first + k * 8, 8);
      // The product moves byte j's mark to bit 56 + j, and no two meet.
      bits |= (eight * 0x0102040810204080u >> 56) << (k * 8);
    }
    if (bits != 0) std::memset(marks.data() + first, 0, 64);
    return bits;
  }
  std::vector<std::uint8_t> marks_, groups_, top_;
};

/// A list of a staged plan: its columns, and the rows of loc_map that they have.
struct StagedList {
  Columns columns;
  std::vector<std::size_t> rows;  ///< by column
  std::size_t targets = 0;
  std::size_t pair = 0;  ///< the first that has it
};
std::vector<StagedList> staged_lists(const PlanInput& input, const StagingLayout& layout) {
  std::vector<StagedList> lists(layout.lists);
  for (std::size_t p = input.pairs.size(); p-- > 0;) {  // backwards: the first pair stays
    if (layout.list[p] < 0) continue;
    const PlanPair& pair = input.pairs[p];
    auto& list = lists[static_cast<std::size_t>(layout.list[p])];
    list = {columns_of({&pair, 1}), {}, input.maps[pair.map].targets, p};
    for (const auto& column : list.columns) {
      const auto slot = std::ranges::find(pair.components, column.component);
      list.rows.push_back(static_cast<std::size_t>(
          layout.rows[p][static_cast<std::size_t>(slot - pair.components.begin())]));
    }
  }
  return lists;
}

std::size_t largest_target_set(const std::vector<StagedList>& lists) {
  std::size_t largest = 0;
  for (const auto& list : lists) largest = std::max(largest, list.targets);
  return largest;
}

/// Colours 0 … 63; 64: none of them is free. The union of the marks, without the last.
///
/// Neighbours share targets, so that each element waits for the one before: every instruction from
/// reading the masks to writing them counts. `fixed`: the number of entries, whose masks are then
/// read once (entries that meet in one mask have read, and write, the same); 0: any.
template <std::size_t fixed, class Entry>
std::uint64_t first_pass(const std::vector<Entry>& reached, std::size_t count,
                         std::int32_t* colours, bool& complete) {
  std::uint64_t used = 0;
  bool all = true;
  const Entry* const entries = reached.data();
  const std::size_t size = fixed == 0 ? reached.size() : fixed;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t taken = 0;
    std::uint64_t before[fixed == 0 ? 1 : fixed];
    for (std::size_t e = 0; e < size; ++e) {
      const std::uint64_t mask = entries[e].masks[entries[e].places[i]];
      if constexpr (fixed != 0) before[e] = mask;
      taken |= mask;
    }
    const std::uint64_t mark = ~taken & (taken + 1);  // the lowest free bit
    for (std::size_t e = 0; e < size; ++e) {
      std::uint64_t& mask = entries[e].masks[entries[e].places[i]];
      mask = (fixed != 0 ? before[fixed == 0 ? 0 : e] : mask) | mark;
    }
    colours[i] = std::countr_zero(mark);
    used |= mark;
    all &= mark != 0;
  }
  complete = all;
  return used;
}

/// Stages and colours one block after another; one thread's work arrays. Their sizes follow the
/// target sets, but a block touches and clears only the entries of its own targets.
///
/// Loc: the type of loc_map's entries. `locs` is its first row; rows are input.size apart.
class BlockStager {
 public:
  BlockStager(const PlanInput& input, const std::vector<StagedList>& lists,
              const std::vector<Columns>& conflicts)
      : input_(input),
        lists_(lists),
        targets_(largest_target_set(lists)),
        place_(new std::uint32_t[largest_target_set(lists)]),
        sizes_(lists.size()) {
    const std::size_t longest = std::min<std::size_t>(input.block_size, input.size);
    for (const auto& columns : conflicts) {
      const auto list = std::ranges::find_if(
          lists, [&](const StagedList& one) { return within(columns, one.columns); });
      const bool listed = list != lists.end();
      for (const auto& column : columns) {
        const auto place =
            listed ? std::ranges::find(list->columns, column) - list->columns.begin() : 0;
        entries_.push_back(
            {column, masks_.size(), listed ? list->rows[static_cast<std::size_t>(place)] : 0});
      }
      const std::size_t targets = input.maps[columns[0].map].targets;
      const std::size_t places =
          listed ? std::min(targets, longest * list->columns.size()) : targets;
      masks_.push_back({std::vector<std::uint64_t>(places),
                        listed ? static_cast<int>(list - lists.begin()) : -1});
      all_listed_ = all_listed_ && listed;
    }
  }

  /// Writes the targets of a list that `count` positions from `first` on reach to `out`, rising,
  /// and their places to `locs`; how many there are.
  template <class Loc, class Elements>
  std::size_t stage(std::size_t list, Elements elements, std::size_t first, std::size_t count,
                    std::int32_t* out, Loc* locs) {
    const auto& [columns, rows, targets, pair] = lists_[list];
    const auto together = whole_rows(input_, columns, first, count);
    const IndexSet::Inserter insert(targets_);
    for (const auto value : together) insert(static_cast<std::uint32_t>(value));
    if (together.empty())
      for (const auto& column : columns) {
        const ColumnValues values(input_, column);
        for (std::size_t i = first; i < first + count; ++i)
          insert(static_cast<std::uint32_t>(values.at(elements(i))));
      }
    std::uint32_t* const place = place_.get();
    const std::uint32_t staged = targets_.drain(out, place);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const ColumnValues values(input_, columns[c]);
      Loc* const row = locs + rows[c] * input_.size;
      for (std::size_t i = first; i < first + count; ++i)
        row[i] = static_cast<Loc>(place[values.at(elements(i))]);
    }
    sizes_[list] = staged;
    return staged;
  }

  /// Colours the block that was staged last; how many colours it took.
  template <class Loc, class Elements>
  std::int32_t colour(Elements elements, std::size_t first, std::size_t count, const Loc* locs,
                      std::int32_t* colours) {
    if (all_listed_) {
      std::vector<Reached<Loc>> reached;
      for (const auto& entry : entries_)
        reached.push_back(
            {locs + entry.row * input_.size + first, masks_[entry.masks].colours.data()});
      return colour_elements(reached, count, colours);
    }
    std::vector<Reached<std::uint32_t>> reached;
    gathered_.resize(entries_.size() * count);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      auto& masks = masks_[entries_[e].masks];
      std::uint32_t* const places = gathered_.data() + e * count;
      if (masks.list >= 0) {
        std::copy_n(locs + entries_[e].row * input_.size + first, count, places);
      } else {
        const ColumnValues values(input_, entries_[e].column);
        for (std::size_t i = 0; i < count; ++i)
          places[i] = static_cast<std::uint32_t>(values.at(elements(first + i)));
      }
      reached.push_back({places, masks.colours.data()});
    }
    return colour_elements(reached, count, colours);
  }

  /// Masks that were cleared so far, by entries.
  std::size_t cleared() const { return cleared_; }

 private:
  /// A column of a conflict.
  struct Entry {
    Column column;
    std::size_t masks = 0;  ///< which
    std::size_t row = 0;    ///< of loc_map, where a list has the column
  };
  /// The colours that a conflict's targets have, by place in a list; by target where no list has
  /// all columns of the conflict.
  struct Masks {
    std::vector<std::uint64_t> colours;
    int list = -1;
  };
  /// What colouring reads: for each entry the masks' places by element, and the masks.
  template <class Place>
  struct Reached {
    const Place* places;
    std::uint64_t* masks;
  };

  template <class Place>
  void clear_masks(const std::vector<Reached<Place>>& reached, std::size_t count) {
    const auto clear = [&](std::uint64_t* first, std::size_t size) {
      std::fill_n(first, size, 0);
      cleared_ += size;
    };
    for (auto& masks : masks_)
      if (masks.list >= 0)
        clear(masks.colours.data(), sizes_[static_cast<std::size_t>(masks.list)]);
    for (std::size_t e = 0; e < entries_.size(); ++e)
      if (masks_[entries_[e].masks].list < 0)
        for (std::size_t i = 0; i < count; ++i) clear(reached[e].masks + reached[e].places[i], 1);
  }

  template <class Place>
  std::int32_t colour_elements(const std::vector<Reached<Place>>& reached, std::size_t count,
                               std::int32_t* colours) {
    bool complete = true;
    const std::uint64_t used =
        reached.size() == 1   ? first_pass<1>(reached, count, colours, complete)
        : reached.size() == 2 ? first_pass<2>(reached, count, colours, complete)
                              : first_pass<0>(reached, count, colours, complete);
    clear_masks(reached, count);
    return complete ? 64 - std::countl_zero(used) : later_passes(reached, count, colours);
  }

  /// Those that found no free colour share the next 64, and so on.
  template <class Place>
  std::int32_t later_passes(const std::vector<Reached<Place>>& reached, std::size_t count,
                            std::int32_t* colours) {
    waiting_.clear();
    std::int32_t most = 63;
    for (std::size_t i = 0; i < count; ++i)
      if (colours[i] == 64) waiting_.push_back(static_cast<std::uint32_t>(i));
    for (std::int32_t base = 64; !waiting_.empty(); base += 64) {
      std::erase_if(waiting_, [&](std::uint32_t i) {
        std::uint64_t taken = 0;
        for (const auto& entry : reached) taken |= entry.masks[entry.places[i]];
        if (~taken == 0) return false;
        const int bit = std::countr_one(taken);
        for (const auto& entry : reached) entry.masks[entry.places[i]] |= std::uint64_t{1} << bit;
        colours[i] = base + bit;
        most = std::max(most, base + bit);
        return true;
      });
      clear_masks(reached, count);
    }
    return most + 1;
  }

  const PlanInput& input_;
  const std::vector<StagedList>& lists_;
  IndexSet targets_;
  std::unique_ptr<std::uint32_t[]> place_;  ///< by target; stale but for the list at hand
  std::vector<std::size_t> sizes_;          ///< of the lists of the block at hand
  std::vector<Masks> masks_;
  std::vector<Entry> entries_;
  bool all_listed_ = true;               ///< every conflict has a list
  std::vector<std::uint32_t> gathered_;  ///< else: places of the entries, row after row
  std::vector<std::uint32_t> waiting_;
  std::size_t cleared_ = 0;
};

/// Consecutive blocks that one thread stages. Its lists lie together in ind_map, from `begin` on,
/// with offsets that count from there.
struct Chunk {
  std::size_t first_block = 0, end_block = 0;
  std::size_t begin = 0, used = 0;
};

class Stage {
 public:
  Stage(const PlanInput& input, const StagingLayout& layout, const std::vector<Columns>& conflicts,
        const DraftArrays& into)
      : input_(input),
        layout_(layout),
        conflicts_(conflicts),
        into_(into),
        lists_(staged_lists(input, layout)),
        loc_bytes_(loc_bytes_of(input)) {
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
        if (loc_bytes_ == 2)
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
  const DraftArrays& into_;
  std::vector<StagedList> lists_;
  std::size_t loc_bytes_;
  std::size_t columns_ = 0;
  Columns unstaged_;  ///< of conflicts, and of no list
};

StagedTotals totals(const PlanInput& input, const DraftArrays& arrays) {
  const std::size_t pairs = input.pairs.size();
  StagedTotals result;
  std::ranges::fill(arrays.nindirect, 0);
  for (std::size_t b = 0; b < arrays.nthrcol.size(); ++b) {
    std::size_t bytes = 0;
    for (std::size_t p = 0; p < pairs; ++p) {
      const auto staged = arrays.ind_sizes[b * pairs + p];
      arrays.nindirect[p] += staged;
      bytes += (static_cast<std::size_t>(staged) * input.pairs[p].element_bytes + 15) / 16 * 16;
    }
    result.nshared = std::max(result.nshared, bytes);
  }
  return result;
}

}  // namespace

StagedTotals stage(const PlanInput& input, const StagingLayout& layout,
                   const std::vector<Columns>& conflicts, const DraftArrays& into) {
  const Stage work(input, layout, conflicts, into);
  auto chunks = work.chunks();
  tbb::enumerable_thread_specific<BlockStager> stagers([&] { return work.stager(); });
  for_each_in_parallel(
      chunks.size(), [&](std::size_t c) { work.run(chunks[c], stagers.local()); },
      tbb::simple_partitioner());
  StagedTotals result = totals(input, into);
  result.ind_map = work.close_gaps(chunks);
  for (const auto& stager : stagers) result.cleared += stager.cleared();
  return result;
}

}  // namespace kiln::mesh
