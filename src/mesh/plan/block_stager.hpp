#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "mesh/plan/columns.hpp"
#include "mesh/plan/index_set.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh {

/// The lists of a staged plan: for each its columns and their rows of loc_map.
struct StagedList {
  struct Row {
    Column column;
    std::size_t row;
  };
  std::vector<Row> rows;
  Columns columns;
  std::size_t targets = 0;
  std::size_t pair = 0;  ///< the first that has it
};
std::vector<StagedList> staged_lists(const PlanInput& input, const StagingLayout& layout);

/// Stages and colours one block after another; one thread's work arrays. Their sizes follow the
/// target sets, but a block touches and clears only the entries of its own targets.
class BlockStager {
 public:
  BlockStager(const PlanInput& input, const std::vector<StagedList>& lists,
              const std::vector<Columns>& conflicts);

  /// The targets of a list that `count` positions from `first` on reach, rising, written to `out`;
  /// how many. Leaves their places in `locs` (rows of Loc, `row_length` apart).
  template <class Loc, class Elements>
  std::size_t stage(std::size_t list, Elements elements, std::size_t first, std::size_t count,
                    std::int32_t* out, Loc* locs, std::size_t row_length) {
    for (const auto& row : lists_[list].rows) {
      const ColumnValues values(input_, row.column);
      for (std::size_t i = first; i < first + count; ++i)
        targets_.insert(static_cast<std::uint32_t>(values.at(elements(i))));
    }
    std::uint32_t staged = 0;
    targets_.drain([&](std::uint32_t target) {
      out[staged] = static_cast<std::int32_t>(target);
      place_[target] = staged++;
    });
    for (const auto& row : lists_[list].rows) {
      const ColumnValues values(input_, row.column);
      Loc* const loc = locs + row.row * row_length + first;
      std::uint32_t* const local = places_.data() + row.row * longest_;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t place = place_[values.at(elements(first + i))];
        loc[i] = static_cast<Loc>(place);
        local[i] = place;
      }
    }
    sizes_[list] = staged;
    return staged;
  }

  /// Colours the block that was staged last; how many colours it took.
  template <class Elements>
  std::int32_t colour(Elements elements, std::size_t first, std::size_t count,
                      std::int32_t* colours) {
    for (auto& other : others_)
      for (std::size_t i = 0; i < count; ++i)
        other.targets[i] = static_cast<std::uint32_t>(other.values.at(elements(first + i)));
    return colour_elements(count, colours);
  }

 private:
  /// A column of a conflict: where each element's target is among `masks`.
  struct Entry {
    const std::uint32_t* places;
    std::uint64_t* masks;
  };
  /// A column that no list has.
  struct Other {
    ColumnValues values;
    std::vector<std::uint32_t> targets;
  };
  struct Masks {
    std::vector<std::uint64_t> by_place;
    int list = -1;  ///< of which list places are; -1: they are targets
  };
  std::int32_t colour_elements(std::size_t count, std::int32_t* colours);
  void clear_masks(std::size_t count);

  const PlanInput& input_;
  const std::vector<StagedList>& lists_;
  std::size_t longest_;  ///< elements of a block
  IndexSet targets_;
  std::unique_ptr<std::uint32_t[]> place_;  ///< by target; stale but for the list at hand
  std::vector<std::uint32_t> places_;       ///< rows of the block at hand
  std::vector<std::size_t> sizes_;          ///< of its lists
  std::vector<Masks> masks_;
  std::vector<Other> others_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> waiting_;
};

}  // namespace kiln::mesh
