#pragma once

#include <string>
#include <vector>

#include "kernel/request/parameters.hpp"
#include "mesh/model/loop_shape.hpp"
#include "mesh/plan/plan_input.hpp"

namespace kiln::mesh {

/// How the elements of a loop are given to work-items: the Parameter "FORM".
///
/// blocks:   a launch a colour of blocks, as many groups of 1 as there are blocks; with conflicts
///           it takes blkmap.
///
/// atomic:   one launch, groups of GROUP, any number: they stride over begin … end.
///
/// coloured: a launch a colour of elements, groups of GROUP, any number, likewise; takes order.
///
/// staged:   a launch a colour of blocks, as many groups of GROUP as there are blocks; takes the
///           plan's arrays.
///
/// A loop without conflicts (has_conflicts) has one launch in each form and no plan, but for
/// staging.
enum class Form : std::uint8_t { blocks = 0, atomic = 1, coloured = 2, staged = 3 };

/// One parameter of a generated kernel.
struct KernelParameter {
  enum class Kind : std::uint8_t {
    dat,         ///< T *: the array of Dat `number`
    dat_stride,  ///< long: elements between components of Dat `number`, which is SoA
    global,      ///< const T *: the values of Global `number`, which the loop reads
    partials,    ///< T *: partial results of Global `number`; slot s, component k at s * dim + k
    constant,    ///< T or const T *: constant `number` of LoopShape::constants
    mat_values,  ///< T *: values of Mat `number`; a block's rows x columns lie together, row-major
    mat_rowptr,  ///< const int *: CSR, of block rows
    mat_colidx,  ///< const int *: block columns, rising within a row
    map,         ///< const int *: values of Map `number`, rows of `arity`
    map_offset,  ///< const int *: vertical offsets of Map `number`, `arity` of them (extruded)
    begin,
    end,     ///< int: elements begin … end - 1; with a subset positions in its list; coloured:
             ///< positions in `order`
    subset,  ///< const int *: the index list
    layers,  ///< int: cells of a column, one after another (extruded)
    block_size,   ///< int: elements of a block; block b begins at begin + b * block_size
    first_block,  ///< int: group g works on block blkmap[first_block + g], or first_block + g
    blkmap,       ///< const int *: blocks by colour
    order,        ///< const int *: elements (with a subset: positions) by colour
    ind_map,      ///< const int *: staged targets; see Plan
    ind_sizes,    ///< const int *: how many, at block * pairs + pair
    ind_offsets,  ///< const int *: where a block's begin in its pair's part of ind_map, likewise
    loc_map,      ///< const ushort * or const uint * (LOC32): rows of end - begin, one for each
                  ///< (pair, component): position of the target among the block's staged ones
    element_colours,  ///< const int *: colour within the block, by element - begin
    colour_counts,    ///< const int *: how many colours, by block
    local_bytes,      ///< __local: bytes of local memory (the plan's nshared)
    first_partial,    ///< int: group g of this launch leaves its partial results in slot
                      ///< first_partial + g
    partial_count,    ///< int: fold only: slots 0 … count - 1 of every partials array
    global_result,    ///< T *: fold only: Global `number`, to which the partial results are added
  };
  Kind kind;
  /// Which Dat, Global, Mat (ArgShape::data), Map or constant; 0 for the others.
  int number = 0;
  bool operator==(const KernelParameter&) const = default;
};

/// Whether an argument is a Global that elements add to or compare with.
bool is_reduction(const ArgShape& argument);

/// The form that Parameters name.
Form form_of(const Parameters& parameters);

/// The parameters of a loop's kernel, in order. The one place that knows the order: the generator
/// declares by it, the runtime sets arguments by it. Constants must be reduced
/// (with_used_constants).
std::vector<KernelParameter> loop_parameters(const LoopShape& shape, const Parameters& parameters);

/// The parameters of the kernel that folds partial results into Globals, to be launched once after
/// the loop's launches, as one work-group of `fold_group(parameters)`. Empty: the loop reduces
/// nothing, there is no such kernel. The folded value is added to (INC) or compared with (MIN, MAX)
/// what the Global holds; in the order of slots, so always the same. MIN and MAX of floating type
/// keep a NaN that any element or the Global had.
std::vector<KernelParameter> fold_parameters(const LoopShape& shape);
std::size_t fold_group(const Parameters& parameters);

/// Names of the two kernels.
std::string loop_kernel(const LoopShape& shape);
std::string fold_kernel(const LoopShape& shape);

/// Whether elements that run at once could meet in a target that they add to: INC or RW through a
/// Map, or a Mat. Then `blocks`, `staged` and `coloured` need a plan's colours. Indirect WRITE is
/// not counted: elements that share a target are meant to write the same.
bool has_conflicts(const LoopShape& shape);

/// The arguments that conflict.
std::vector<int> conflicting_arguments(const LoopShape& shape);

/// The (Dat, Map) pairs of a loop as plans want them: by number, with the components that arguments
/// use in their order, `map` the Map's number. Dats only.
std::vector<PlanPair> plan_pairs(const LoopShape& shape);

/// What may not be reached by two elements at once: each Dat with conflicting arguments through all
/// of its pairs, and the rows of each Mat.
std::vector<PlanConflict> plan_conflicts(const LoopShape& shape);

/// The shape with those constants only whose names occur in the source: what Requests, Keys and
/// layouts are made of, so that declaring one more changes nothing.
LoopShape with_used_constants(LoopShape shape);

/// The declaration of a kernel: qualifiers, name and parameters, in the layout's order.
std::string loop_signature(const LoopShape& shape, const Parameters& parameters);
std::string fold_signature(const LoopShape& shape, const Parameters& parameters);

/// The first argument of a Global that is reduced, or a Dat, or a Mat, of a number.
const ArgShape& first_argument(const LoopShape& shape, ArgShape::Kind kind, int number,
                               bool reduced = false);

/// Reductions of the loop: the first argument of each reduced Global, by number.
std::vector<ArgShape> reductions(const LoopShape& shape);
/// The first argument of each Global that is read.
std::vector<ArgShape> read_globals(const LoopShape& shape);

}  // namespace kiln::mesh
