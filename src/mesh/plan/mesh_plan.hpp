#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// The array "head" of a plan: int64 numbers, none of them negative.
struct PlanHead {
  std::uint64_t schema = 0, scheme = 0;
  std::uint64_t begin = 0, size = 0, block_size = 0;
  std::uint64_t nblocks = 0, ncolors = 0, npairs = 0;
  std::uint64_t nshared = 0;
  std::uint64_t loc_bytes = 0;  ///< of an entry of loc_map: 2 (uint16) or 4 (uint32)
  std::uint64_t loc_rows = 0;   ///< of loc_map
  std::uint64_t first_late_colour = 0;
};

/// The other arrays of a plan, as views. Int is std::int32_t while a plan is made and const
/// std::int32_t in one that is read; Byte likewise.
template <class Int, class Byte>
struct PlanArrays {
  // Scheme::blocks and Scheme::staged.
  /// First element of a block, `begin` included (with a subset: place in its list); its length.
  std::span<Int> offset, nelems;
  /// Blocks by colour, rising within a colour: those of colour c are blkmap[color_offs[c]] … and
  /// there are ncolblk[c].
  std::span<Int> blkmap, ncolblk;
  /// Where each colour begins in blkmap (Scheme::permuted: in order); one more than ncolors.
  std::span<Int> color_offs;

  // Scheme::staged. Pairs are numbered as in PlanInput::pairs, those that are not staged included.
  /// Block b stages for pair p the targets ind_map[o] … ind_map[o + n - 1], rising, each once, with
  /// o = ind_offs[b * npairs + p], n = ind_sizes[b * npairs + p]. Offsets are into the whole
  /// ind_map; pairs that share a list (staging_layout) have equal ones.
  std::span<Int> ind_map, ind_sizes, ind_offs;
  /// Targets that pair p stages, summed over the blocks.
  std::span<Int> nindirect;
  /// Rows of `size` numbers: row r, position i at r * size + i says where in its block's list the
  /// target stands.
  std::span<Byte> loc_map;
  /// The rows of pair p's slots (staging_layout().rows) are loc_rows[loc_first[p]] … before those
  /// of the next pair; loc_first has one more than there are pairs.
  std::span<Int> loc_first, loc_rows;
  /// The colour of an element within its block, by position; colours in a block.
  std::span<Int> thrcol, nthrcol;

  // Scheme::permuted.
  /// Elements (with a subset: places in its list) by colour, rising within a colour.
  std::span<Int> order;
};

/// What decides how long the arrays of a plan are. What is not known of a plan that is read is
/// none.
struct PlanSizes {
  PlanHead head;
  std::optional<std::size_t> slots{};    ///< of all pairs
  std::optional<std::size_t> ind_map{};  ///< numbers that all blocks stage
};

/// Calls `each(name, array, length)` for the arrays of a plan in the order in which they lie in it:
/// the one description for those who make a plan and those who read one.
template <class Arrays, class Each>
void for_plan_arrays(Arrays& arrays, const PlanSizes& sizes, const Each& each) {
  using Length = std::optional<std::size_t>;
  const PlanHead& head = sizes.head;
  if (static_cast<Scheme>(head.scheme) == Scheme::permuted) {
    each("order", arrays.order, Length(head.size));
    each("color_offs", arrays.color_offs, Length(head.ncolors + 1));
    return;
  }
  each("offset", arrays.offset, Length(head.nblocks));
  each("nelems", arrays.nelems, Length(head.nblocks));
  each("blkmap", arrays.blkmap, Length(head.nblocks));
  if (static_cast<Scheme>(head.scheme) == Scheme::staged) {
    each("ind_sizes", arrays.ind_sizes, Length(head.nblocks * head.npairs));
    each("ind_offs", arrays.ind_offs, Length(head.nblocks * head.npairs));
    each("nindirect", arrays.nindirect, Length(head.npairs));
    each("loc_first", arrays.loc_first, Length(head.npairs + 1));
    each("loc_rows", arrays.loc_rows, sizes.slots);
    each("thrcol", arrays.thrcol, Length(head.size));
    each("nthrcol", arrays.nthrcol, Length(head.nblocks));
    each("loc_map", arrays.loc_map, Length(head.loc_rows * head.size * head.loc_bytes));
    each("ind_map", arrays.ind_map, sizes.ind_map);
  }
  each("ncolblk", arrays.ncolblk, Length(head.ncolors));
  each("color_offs", arrays.color_offs, Length(head.ncolors + 1));
}

/// A Plan as parallel loops read it. A view: cheap to copy, keeps the Plan alive, thread-safe.
///
/// Positions count the elements of a part from 0; position i stands for element `begin + i`, or
/// with a subset for `subset[begin + i]`. Numbers are int32 unless said otherwise.
class MeshPlan : public PlanArrays<const std::int32_t, const std::byte> {
 public:
  MeshPlan() = default;
  /// Throws Error (corrupt) where the arrays are not those of one whole plan.
  explicit MeshPlan(PlanPtr plan);

  Scheme scheme() const { return static_cast<Scheme>(head_.scheme); }
  std::size_t begin() const { return head_.begin; }
  std::size_t size() const { return head_.size; }  ///< elements of the part
  std::size_t block_size() const { return head_.block_size; }
  /// Colours of blocks; Scheme::permuted: of elements. 0 where there are no elements.
  std::size_t ncolors() const { return head_.ncolors; }
  /// Elements before PlanInput::first_late alone have the colours before this one; 0: no element
  /// is late.
  std::size_t first_late_colour() const { return head_.first_late_colour; }
  std::size_t nblocks() const { return head_.nblocks; }
  std::size_t npairs() const { return head_.npairs; }
  std::size_t loc_bytes() const { return head_.loc_bytes; }
  /// The most bytes of local memory that a block takes: the pairs' slices, each rounded up to 16.
  std::size_t nshared() const { return head_.nshared; }
  /// The row of a pair's slot in loc_map.
  std::size_t loc_row(std::size_t pair, std::size_t slot) const {
    return static_cast<std::size_t>(loc_rows[static_cast<std::size_t>(loc_first[pair]) + slot]);
  }
  /// How many slots a pair has: its components; 0 where it is not staged.
  std::size_t slots(std::size_t pair) const {
    return static_cast<std::size_t>(loc_first[pair + 1] - loc_first[pair]);
  }
  /// One entry of loc_map, whatever the width: for tests and messages.
  std::uint32_t loc(std::size_t pair, std::size_t slot, std::size_t position) const;

  const PlanPtr& plan() const { return plan_; }
  explicit operator bool() const { return plan_ != nullptr; }

 private:
  void view_arrays();
  PlanPtr plan_;
  PlanHead head_;
};

/// Version of the arrays' meaning: grows when a plan of an earlier program may not be read.
inline constexpr std::uint32_t plan_schema = 2;

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
/// earlier vertex has with which it shares a target in one of the conflicts. Where elements are
/// late they come first then; late colours begin at half of those that the others need alone, or at
/// 1. These colours are aligned, the early and the late ones.
PlanPtr build_plan(const PlanInput& input, PlanWork* work = nullptr);

/// Holds a plan against its input by the definitions in mesh_plan.hpp alone, as slowly as it takes:
/// the first property that does not hold, in one line; empty where all do. For tests and for
/// `--check`; shares nothing with what builds plans. The input must be one that build_plan accepts.
///
/// What is checked: head and sizes; that blocks cut the part; that blkmap and order are
/// permutations, rising within each colour; that no two blocks (elements of a block, elements) of a
/// colour share a target of a conflict, no colour is empty, and no late element has an early one;
/// that lists hold exactly the targets of their block, rising, and rows the places of each
/// element's; nindirect and nshared. Not whether colours are as few as greedy ones.
std::string check_plan(const PlanInput& input, const MeshPlan& plan);

// Of the making of a plan (align_colours.cpp, staging.cpp).

/// Swaps colours first … end - 1 along chains (Kempe, American Journal of Mathematics 2, 1879): of
/// elements of two colours those that share targets, which swap their colours together. What
/// follows one another gets the same colour where it can. First-fit begins anew in each column of
/// cells where it meets a crooked border of a part, with the one or the other colour: its columns
/// take turns then, and elements that are computed together reach twice as many cache lines.
///
/// For each two of the colours (of the first 8, those that have more than half as many elements as
/// the one that has most; first-fit's last ones stay as few as they are), chains that stand next to
/// one another among the elements of both vote by how often neighbours are alike; the clearest
/// votes are followed first, a chain keeps its colours relative to those that it has joined, and of
/// all that are joined the one with the first element keeps its own. A colour may have no element
/// afterwards.
void align_colours(const PlanInput& input, const std::vector<Columns>& conflicts, std::size_t first,
                   std::size_t end, std::span<std::int32_t> colours);

/// The arrays of a plan in the making.
using DraftArrays = PlanArrays<std::int32_t, std::byte>;

/// What is known of them only in the end.
struct StagedTotals {
  std::size_t ind_map = 0;  ///< entries that are used
  std::size_t nshared = 0;
  std::size_t cleared = 0;  ///< as in PlanWork
};

/// Writes the staging maps, the totals of pairs and the colours of elements of all blocks, on the
/// threads of the calling task arena. ind_map has room for each list's targets of every position
/// and component.
StagedTotals stage(const PlanInput& input, const StagingLayout& layout,
                   const std::vector<Columns>& conflicts, const DraftArrays& into);

}  // namespace kiln::mesh
