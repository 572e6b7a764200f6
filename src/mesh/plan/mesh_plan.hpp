#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel/program/plan.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// Where the staging maps of pairs lie: a function of the pairs' Maps and components alone, so that
/// code can be generated before any plan is made.
///
/// Pairs of one Map that use the same set of components, in any order, share a *list* (the targets
/// that a block stages) and its *rows* (positions in the list): they would be equal. A list has a
/// row for each of its components; rows are counted over the lists by first appearance, within a
/// list in the order of the components of the first pair. Pairs that are not staged have neither.
struct StagingLayout {
  std::vector<int> list;               ///< by pair; -1: not staged
  std::vector<std::vector<int>> rows;  ///< by pair and slot (position in PlanPair::components)
  std::size_t lists = 0, row_count = 0;
};
StagingLayout staging_layout(std::span<const PlanPair> pairs);

/// Bytes of an entry of loc_map, known before the plan is made: 2, or 4 where a block could stage
/// more than 65536 targets of one list.
std::size_t loc_bytes_of(const PlanInput& input);

/// A Plan as parallel loops read it. A view: cheap to copy, keeps the Plan alive, thread-safe.
///
/// Positions count the elements of a part from 0; position i stands for element `begin + i`, or
/// with a subset for `subset[begin + i]`. Numbers are int32 unless said otherwise.
class MeshPlan {
 public:
  MeshPlan() = default;
  /// Throws Error (corrupt) where the arrays are not those of one whole plan.
  explicit MeshPlan(PlanPtr plan);

  Scheme scheme() const { return static_cast<Scheme>(head_[1]); }
  std::size_t begin() const { return number(2); }
  std::size_t size() const { return number(3); }  ///< elements of the part
  std::uint32_t block_size() const { return static_cast<std::uint32_t>(number(4)); }
  /// Colours of blocks; Scheme::permuted: of elements. 0 where there are no elements.
  std::size_t ncolors() const { return number(6); }

  // Scheme::blocks and Scheme::staged.
  std::size_t nblocks() const { return number(5); }
  /// First element of a block, `begin` included (with a subset: place in its list); its length.
  std::span<const std::int32_t> offset() const { return offset_; }
  std::span<const std::int32_t> nelems() const { return nelems_; }
  /// Blocks by colour, rising within a colour: those of colour c are
  /// blkmap[color_offs()[c]] … and there are ncolblk()[c].
  std::span<const std::int32_t> blkmap() const { return blkmap_; }
  std::span<const std::int32_t> ncolblk() const { return ncolblk_; }
  /// Where each colour begins in blkmap (Scheme::permuted: in order); one more than ncolors().
  std::span<const std::int32_t> color_offs() const { return color_offs_; }

  // Scheme::staged. Pairs are numbered as in PlanInput::pairs, those that are not staged included.
  std::size_t npairs() const { return number(7); }
  /// Block b stages for pair p the targets ind_map[o] … ind_map[o + n - 1], rising, each once, with
  /// o = ind_offs[b * npairs + p], n = ind_sizes[b * npairs + p]. Offsets are into the whole
  /// ind_map; pairs that share a list (staging_layout) have equal ones.
  std::span<const std::int32_t> ind_map() const { return ind_map_; }
  std::span<const std::int32_t> ind_sizes() const { return ind_sizes_; }
  std::span<const std::int32_t> ind_offs() const { return ind_offs_; }
  /// Targets that pair p stages, summed over the blocks.
  std::span<const std::int32_t> nindirect() const { return nindirect_; }
  /// 2 (uint16) or 4 (uint32).
  std::size_t loc_bytes() const { return number(9); }
  /// Rows of size() numbers: row r, position i at r * size() + i says where in its block's list the
  /// target stands. Only the one of the width at hand may be called.
  std::span<const std::uint16_t> loc_map16() const {
    return plan_->array<std::uint16_t>("loc_map");
  }
  std::span<const std::uint32_t> loc_map32() const {
    return plan_->array<std::uint32_t>("loc_map");
  }
  /// The row of a pair's slot: staging_layout().rows.
  std::size_t loc_row(std::size_t pair, std::size_t slot) const {
    return static_cast<std::size_t>(loc_rows_[static_cast<std::size_t>(loc_first_[pair]) + slot]);
  }
  /// How many slots a pair has: its components; 0 where it is not staged.
  std::size_t slots(std::size_t pair) const {
    return static_cast<std::size_t>(loc_first_[pair + 1] - loc_first_[pair]);
  }
  /// One entry, whatever the width: for tests and messages.
  std::uint32_t loc(std::size_t pair, std::size_t slot, std::size_t position) const;
  /// The most bytes of local memory that a block takes: the pairs' slices, each rounded up to 16.
  std::size_t nshared() const { return number(8); }
  /// The colour of an element within its block, by position; colours in a block.
  std::span<const std::int32_t> thrcol() const { return thrcol_; }
  std::span<const std::int32_t> nthrcol() const { return nthrcol_; }

  // Scheme::permuted.
  /// Elements (with a subset: places in its list) by colour, rising within a colour.
  std::span<const std::int32_t> order() const { return order_; }

  const PlanPtr& plan() const { return plan_; }
  explicit operator bool() const { return plan_ != nullptr; }

 private:
  std::size_t number(std::size_t place) const { return static_cast<std::size_t>(head_[place]); }

  PlanPtr plan_;
  std::span<const std::int64_t> head_;
  std::span<const std::int32_t> offset_, nelems_, blkmap_, ncolblk_, color_offs_;
  std::span<const std::int32_t> ind_map_, ind_sizes_, ind_offs_, nindirect_, loc_first_, loc_rows_;
  std::span<const std::int32_t> thrcol_, nthrcol_, order_;
};

/// Version of the arrays' meaning: grows when a plan of an earlier program may not be read.
inline constexpr std::uint32_t plan_schema = 1;

/// What making a plan took, other than looks at its elements: for tests of what it costs.
struct PlanWork {
  std::size_t cleared = 0;  ///< marks of targets, between blocks whose elements are coloured
};

/// Makes the plan that the input describes: the same bytes on any number of threads (oneTBB; bound
/// it with a task_arena). Throws Error (bad_input) where the input contradicts itself or a Map
/// points outside its set, naming the Map, row, component and value; (unsupported) where 32-bit
/// numbers do not suffice.
///
/// Colours are those of greedy first-fit in rising order: a vertex gets the least colour that no
/// earlier vertex has with which it shares a target in one of the conflicts.
PlanPtr build_plan(const PlanInput& input, PlanWork* work = nullptr);

/// The array "head" of a mesh plan, int64: schema, scheme, begin, size, block size, blocks,
/// colours, pairs, nshared, bytes of a loc_map entry, rows of loc_map.
inline constexpr std::size_t plan_head_size = 11;

/// Holds a plan against its input by the definitions in mesh_plan.hpp alone, as slowly as it takes:
/// the first property that does not hold, in one line; empty where all do. For tests and for
/// `--check`; shares nothing with what builds plans. The input must be one that build_plan accepts.
///
/// What is checked: head and sizes; that blocks cut the part; that blkmap and order are
/// permutations, rising within each colour; that no two blocks (elements of a block, elements) of a
/// colour share a target of a conflict, and no colour is empty; that lists hold exactly the targets
/// of their block, rising, and rows the places of each element's; nindirect and nshared. Not
/// whether colours are as few as greedy ones.
std::string check_plan(const PlanInput& input, const MeshPlan& plan);

}  // namespace kiln::mesh
