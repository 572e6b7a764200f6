#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "mesh/plan/columns.hpp"
#include "mesh/plan/index_set.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {

/// A list of a staged plan: its columns, and the rows of loc_map that they have.
struct StagedList {
  Columns columns;
  std::vector<std::size_t> rows;  ///< by column
  std::size_t targets = 0;
  std::size_t pair = 0;  ///< the first that has it
};
std::vector<StagedList> staged_lists(const PlanInput& input, const StagingLayout& layout);

/// Stages and colours one block after another; one thread's work arrays. Their sizes follow the
/// target sets, but a block touches and clears only the entries of its own targets.
///
/// Loc: the type of loc_map's entries. `locs` is its first row; rows are input.size apart.
class BlockStager {
 public:
  BlockStager(const PlanInput& input, const std::vector<StagedList>& lists,
              const std::vector<Columns>& conflicts);

  /// Writes the targets of a list that `count` positions from `first` on reach to `out`, rising,
  /// and their places to `locs`; how many there are.
  template <class Loc, class Elements>
  std::size_t stage(std::size_t list, Elements elements, std::size_t first, std::size_t count,
                    std::int32_t* out, Loc* locs);

  /// Colours the block that was staged last; how many colours it took.
  template <class Loc, class Elements>
  std::int32_t colour(Elements elements, std::size_t first, std::size_t count, const Loc* locs,
                      std::int32_t* colours);

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
  std::int32_t colour_elements(const std::vector<Reached<Place>>& reached, std::size_t count,
                               std::int32_t* colours);
  template <class Place>
  std::int32_t later_passes(const std::vector<Reached<Place>>& reached, std::size_t count,
                            std::int32_t* colours);
  template <class Place>
  void clear_masks(const std::vector<Reached<Place>>& reached, std::size_t count);

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

template <class Loc, class Elements>
std::size_t BlockStager::stage(std::size_t list, Elements elements, std::size_t first,
                               std::size_t count, std::int32_t* out, Loc* locs) {
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

template <class Loc, class Elements>
std::int32_t BlockStager::colour(Elements elements, std::size_t first, std::size_t count,
                                 const Loc* locs, std::int32_t* colours) {
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

extern template std::int32_t BlockStager::colour_elements(
    const std::vector<Reached<std::uint16_t>>&, std::size_t, std::int32_t*);
extern template std::int32_t BlockStager::colour_elements(
    const std::vector<Reached<std::uint32_t>>&, std::size_t, std::int32_t*);

}  // namespace kiln::mesh
