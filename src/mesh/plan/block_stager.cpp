#include "mesh/plan/block_stager.hpp"

#include <bit>
#include <numeric>

namespace kiln::mesh {
namespace {

std::size_t largest_target_set(const std::vector<StagedList>& lists) {
  std::size_t largest = 0;
  for (const auto& list : lists) largest = std::max(largest, list.targets);
  return largest;
}

std::size_t row_count(const std::vector<StagedList>& lists) {
  std::size_t count = 0;
  for (const auto& list : lists) count += list.rows.size();
  return count;
}

}  // namespace

std::vector<StagedList> staged_lists(const PlanInput& input, const StagingLayout& layout) {
  std::vector<StagedList> lists(layout.lists);
  for (std::size_t p = input.pairs.size(); p-- > 0;) {  // backwards: the first pair stays
    if (layout.list[p] < 0) continue;
    const PlanPair& pair = input.pairs[p];
    auto& list = lists[static_cast<std::size_t>(layout.list[p])];
    list = {{}, columns_of({&pair, 1}), input.maps[pair.map].targets, p};
    for (const auto& column : list.columns) {
      const auto slot = std::ranges::find(pair.components, column.component);
      list.rows.push_back(
          {column, static_cast<std::size_t>(
                       layout.rows[p][static_cast<std::size_t>(slot - pair.components.begin())])});
    }
  }
  return lists;
}

BlockStager::BlockStager(const PlanInput& input, const std::vector<StagedList>& lists,
                         const std::vector<Columns>& conflicts)
    : input_(input),
      lists_(lists),
      longest_(std::min<std::size_t>(input.block_size, input.size)),
      targets_(largest_target_set(lists)),
      place_(new std::uint32_t[largest_target_set(lists)]),
      places_(row_count(lists) * longest_),
      sizes_(lists.size()) {
  std::size_t others = 0;
  for (const auto& columns : conflicts) others += columns.size();
  others_.reserve(others);  // entries point into them
  masks_.reserve(conflicts.size());
  for (const auto& columns : conflicts) {
    const auto known = std::ranges::find_if(
        lists, [&](const StagedList& list) { return within(columns, list.columns); });
    if (known != lists.end()) {
      masks_.push_back({std::vector<std::uint64_t>(longest_ * known->rows.size()),
                        static_cast<int>(known - lists.begin())});
      for (const auto& row : known->rows)
        if (within({row.column}, columns))
          entries_.push_back({places_.data() + row.row * longest_, masks_.back().by_place.data()});
      continue;
    }
    masks_.push_back({std::vector<std::uint64_t>(input.maps[columns[0].map].targets), -1});
    for (const auto& column : columns) {
      others_.push_back({ColumnValues(input, column), std::vector<std::uint32_t>(longest_)});
      entries_.push_back({others_.back().targets.data(), masks_.back().by_place.data()});
    }
  }
}

void BlockStager::clear_masks(std::size_t count) {
  for (auto& masks : masks_)
    if (masks.list >= 0)
      std::fill_n(masks.by_place.begin(), sizes_[static_cast<std::size_t>(masks.list)], 0);
  for (const auto& other : others_)
    for (const auto& entry : entries_)
      if (entry.places == other.targets.data())
        for (std::size_t i = 0; i < count; ++i) entry.masks[entry.places[i]] = 0;
}

std::int32_t BlockStager::colour_elements(std::size_t count, std::int32_t* colours) {
  std::int32_t most = 0;
  const std::span<const Entry> entries = entries_;
  // The colour of element i among 64 from `base` on; false where none of them is free.
  const auto take = [&](std::size_t i, std::int32_t base) {
    std::uint64_t taken = 0;
    for (const auto& entry : entries) taken |= entry.masks[entry.places[i]];
    if (~taken == 0) return false;
    const int bit = std::countr_one(taken);
    for (const auto& entry : entries) entry.masks[entry.places[i]] |= std::uint64_t{1} << bit;
    colours[i] = base + bit;
    most = std::max(most, base + bit);
    return true;
  };
  waiting_.clear();
  for (std::size_t i = 0; i < count; ++i)
    if (!take(i, 0)) waiting_.push_back(static_cast<std::uint32_t>(i));
  clear_masks(count);
  for (std::int32_t base = 64; !waiting_.empty(); base += 64) {
    std::erase_if(waiting_, [&](std::uint32_t i) { return take(i, base); });
    clear_masks(count);
  }
  return most + 1;
}

}  // namespace kiln::mesh
