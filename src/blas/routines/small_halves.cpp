#include <algorithm>
#include <bit>
#include <tuple>

#include "blas/generator/gemm_generator.hpp"
#include "blas/generator/matrix_unit_generator.hpp"
#include "blas/generator/template_generator.hpp"
#include "blas/routines/small_product.hpp"

// Many small products of halves or bfloat16 in one launch, by the matrix units of NVIDIA devices
// (templates/small_halves.cl): how an item is cut into tiles of warps, and how its lines are read.
namespace kiln::blas {
namespace {

/// How an item is shared by the warps of a work-group.
struct WarpTiles {
  std::size_t warps_m, warps_n;  ///< along the rows and the columns
  std::size_t items;             ///< of a work-group
  std::size_t step;              ///< columns of A, rows of B in local memory at a time
};

constexpr std::size_t whole_units(std::size_t n, std::size_t unit) {
  return panels_of(n, unit) * unit;
}

/// Bytes of local memory that an item's factors take: the template's SIZE_A and SIZE_B.
std::size_t space_of(const SmallProduct& product, const WarpTiles& tiles) {
  const auto line = [](std::size_t length) { return (length / 8 | 1) * 8; };
  const std::size_t rows = whole_units(product.rows, 16 * tiles.warps_m),
                    columns = whole_units(product.columns, 16 * tiles.warps_n);
  return 2 *
         ((product.first.transposed ? rows * line(tiles.step) : tiles.step * line(rows)) +
          (product.second.transposed ? tiles.step * line(columns) : columns * line(tiles.step)));
}

WarpTiles tiles_of(const SmallProduct& product) {
  // A compute unit is to have several work-groups.
  constexpr std::size_t most_space = 40 << 10, space_of_several = 24 << 10, most_warps = 8;
  WarpTiles tiles{panels_of(product.rows, 32), panels_of(product.columns, 32), 1,
                  whole_units(product.depth, 16)};
  while (tiles.warps_m * tiles.warps_n > most_warps) {
    std::size_t& more = tiles.warps_m > tiles.warps_n ? tiles.warps_m : tiles.warps_n;
    more = panels_of(more, 2);
  }
  if (space_of(product, tiles) > most_space) tiles.step = 64;
  const std::size_t warps = tiles.warps_m * tiles.warps_n;
  tiles.items = std::clamp<std::size_t>(space_of_several / space_of(product, tiles), 1,
                                        std::max<std::size_t>(1, 4 / warps));
  return tiles;
}

/// The most elements, up to 16 bytes, that lie well for one access wherever one of `lines` lines of
/// an item begins.
std::uint64_t wide_of(const SmallProduct::Matrix& matrix, const Operand& operand,
                      std::size_t lines) {
  std::uint64_t all = operand.stored == Storage::native ? 4 : 8;
  if (lines > 1) all |= static_cast<std::uint64_t>(matrix.leading);
  all |= static_cast<std::uint64_t>(operand.batch_stride);
  return std::uint64_t{1} << std::countr_zero(all);
}

}  // namespace

bool takes_small_halves(const SequenceBuilder& builder, unsigned queue) {
  const Call& call = builder.call();
  const Storage factors = call[Slot::a].stored, result = call[Slot::c].stored;
  const auto is_short = [](Storage stored) {
    return stored == Storage::half || stored == Storage::bfloat16;
  };
  // Hopper's own kernel (matrix_unit_product.cpp) has tiles from 64 x 128 on; elsewhere larger
  // products of halves have no matrix units at all.
  const std::size_t most = has_matrix_units(builder.device(queue)) ? 64 : 128, deepest = 128;
  return call.routine == Routine::gemm && call.precision == Precision::s && is_short(factors) &&
         call[Slot::b].stored == factors && (is_short(result) || result == Storage::native) &&
         call.m <= most && call.n <= most && call.k <= deepest &&
         builder.gemm_form(queue).starts_with("sm");
}

void add_small_halves(SequenceBuilder& builder, unsigned queue, const SmallProduct& product,
                      std::size_t from, std::size_t to) {
  const Call& call = builder.call();
  const auto& [first, second, result] = std::tie(product.first, product.second, product.result);
  const std::size_t depth = std::max<std::size_t>(product.depth, 1);
  SmallProduct used = product;
  used.depth = depth;
  const WarpTiles tiles = tiles_of(used);
  const auto stored = [&](const SmallProduct::Matrix& matrix) { return call[matrix.slot].stored; };
  const auto line_of = [](const SmallProduct::Matrix& matrix, std::size_t rows,
                          std::size_t columns) { return matrix.transposed ? columns : rows; };
  Facts facts;
  const auto add = [&](const char* name, auto value) {
    facts.push_back({name, static_cast<std::int64_t>(value)});
  };
  const auto is_least = [&](const SmallProduct::Matrix& matrix, std::size_t rows,
                            std::size_t columns) {
    return matrix.leading == static_cast<std::int64_t>(line_of(matrix, rows, columns));
  };
  add("m", product.rows);
  add("n", product.columns);
  add("k", depth);
  add("trans_a", first.transposed);
  add("trans_b", second.transposed);
  add("tight", is_least(first, product.rows, depth) && is_least(second, depth, product.columns) &&
                   is_least(result, product.rows, product.columns));
  add("factor", stored(first));
  add("result", stored(result));
  add("wide_a", wide_of(first, call[first.slot], line_of(first, depth, product.rows)));
  add("wide_b", wide_of(second, call[second.slot], line_of(second, product.columns, depth)));
  add("wide_c", wide_of(result, call[result.slot], product.columns));
  add("warps_m", tiles.warps_m);
  add("warps_n", tiles.warps_n);
  add("items", tiles.items);
  add("step", tiles.step);
  NDRange range;
  range.local[0] = 32 * tiles.warps_m * tiles.warps_n * tiles.items;
  range.global[0] = panels_of(to - from, tiles.items) * range.local[0];
  auto arguments =
      builder.step(queue, template_choice(builder, queue, "small_halves", facts), range);
  for (const auto& matrix : {first, second, result})
    arguments.operand(matrix.slot, matrix.add)
        .numbers(matrix.leading, call[matrix.slot].batch_stride);
  arguments.scalars(call_alpha, call_beta).numbers(from, to - from).flags(product.depth);
}

}  // namespace kiln::blas
