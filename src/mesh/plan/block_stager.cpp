#include "mesh/plan/block_stager.hpp"

#include <bit>
#include <limits>

namespace kiln::mesh {
namespace {

std::size_t largest_target_set(const std::vector<StagedList>& lists) {
  std::size_t largest = 0;
  for (const auto& list : lists) largest = std::max(largest, list.targets);
  return largest;
}

}  // namespace

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

BlockStager::BlockStager(const PlanInput& input, const std::vector<StagedList>& lists,
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
    const std::size_t places = listed ? std::min(targets, longest * list->columns.size()) : targets;
    masks_.push_back(
        {std::vector<std::uint64_t>(places), listed ? static_cast<int>(list - lists.begin()) : -1});
    all_listed_ = all_listed_ && listed;
  }
}

template <class Place>
void BlockStager::clear_masks(const std::vector<Reached<Place>>& reached, std::size_t count) {
  const auto clear = [&](std::uint64_t* first, std::size_t size) {
    std::fill_n(first, size, 0);
    cleared_ += size;
  };
  for (auto& masks : masks_)
    if (masks.list >= 0) clear(masks.colours.data(), sizes_[static_cast<std::size_t>(masks.list)]);
  for (std::size_t e = 0; e < entries_.size(); ++e)
    if (masks_[entries_[e].masks].list < 0)
      for (std::size_t i = 0; i < count; ++i) clear(reached[e].masks + reached[e].places[i], 1);
}

namespace {

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

}  // namespace

template <class Place>
std::int32_t BlockStager::colour_elements(const std::vector<Reached<Place>>& reached,
                                          std::size_t count, std::int32_t* colours) {
  bool complete = true;
  const std::uint64_t used = reached.size() == 1 ? first_pass<1>(reached, count, colours, complete)
                             : reached.size() == 2
                                 ? first_pass<2>(reached, count, colours, complete)
                                 : first_pass<0>(reached, count, colours, complete);
  clear_masks(reached, count);
  return complete ? 64 - std::countl_zero(used) : later_passes(reached, count, colours);
}

/// Those that found no free colour share the next 64, and so on.
template <class Place>
std::int32_t BlockStager::later_passes(const std::vector<Reached<Place>>& reached,
                                       std::size_t count, std::int32_t* colours) {
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

template std::int32_t BlockStager::colour_elements(const std::vector<Reached<std::uint16_t>>&,
                                                   std::size_t, std::int32_t*);
template std::int32_t BlockStager::colour_elements(const std::vector<Reached<std::uint32_t>>&,
                                                   std::size_t, std::int32_t*);

}  // namespace kiln::mesh
