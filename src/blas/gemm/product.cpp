#include "blas/gemm/product.hpp"

#include "blas/gemm/gemm_generator.hpp"
#include "blas/gemm/gemm_tiles.hpp"

namespace kiln::blas {
namespace {

using Arguments = SequenceBuilder::Arguments;

KernelChoice gemm_choice(const SequenceBuilder& builder, unsigned queue) {
  const Device& device = builder.device(queue);
  KernelChoice choice;
  choice.family = GemmGenerator().family();
  choice.version = GemmGenerator().version();
  choice.facts = {{"precision", std::string(1, letter(builder.call().precision))},
                  {"form", std::string("cpu")},
                  {"native_floats", std::int64_t{device.native_floats}}};
  return choice;
}

/// How an operand is packed: `rows` of it in panels of `width`.
struct Packing {
  const char* kernel;
  std::size_t rows, width, depth, block;
};

/// `across`: the factor's rows are the columns of op(region).
cl::Buffer pack(SequenceBuilder& builder, unsigned queue, KernelChoice choice,
                const Packing& packing, const Factor& factor, bool across) {
  const std::size_t panels = panels_of(packing.rows, packing.width);
  const auto packed =
      builder.scratch(queue, across ? 1 : 0,
                      panels * packing.width * packing.depth * size_of(builder.call().precision));
  // Steps through op(region): along the panel and along its columns.
  const bool turned = (factor.trans != Transpose::none) != across;
  const std::int64_t step_i = turned ? factor.region.leading : 1;
  const std::int64_t step_k = turned ? 1 : factor.region.leading;
  Factor::Stored stored = factor.stored;
  if (across && stored != Factor::Stored::everywhere)
    stored = stored == Factor::Stored::lower ? Factor::Stored::upper : Factor::Stored::lower;
  choice.kernel = packing.kernel;
  NDRange range;
  range.dimensions = 2;
  range.global = {panels, panels_of(packing.depth, packing.block), 1};
  auto arguments = builder.step(queue, choice, range);
  put(arguments, factor.region)
      .number(step_i)
      .number(step_k)
      .flag(static_cast<int>(stored))
      .flag(static_cast<int>(factor.outside))
      .flag(static_cast<int>(factor.diagonal))
      .flag(factor.trans == Transpose::conjugate ? 1 : 0)
      .number(packing.rows)
      .number(packing.depth)
      .buffer(packed);
  return packed;
}

/// Which part of the depth matters for a tile: the kernel's argument `range`.
int range_of(const Product& product) {
  if (product.first.is_triangular()) return product.first.stored == Factor::Stored::lower ? 1 : 2;
  if (product.second.is_triangular()) return product.second.stored == Factor::Stored::lower ? 3 : 4;
  return 0;
}

}  // namespace

Arguments& put(Arguments& to, const Region& region) {
  if (region.slot) return to.memory(*region.slot).offset(*region.slot, region.add);
  return to.buffer(region.buffer).number(region.add);
}

Arguments& put(Arguments& to, const Product::Coefficient& coefficient, Precision precision) {
  using From = Product::Coefficient::From;
  switch (coefficient.from) {
    case From::alpha:
      return to.alpha();
    case From::conjugate_alpha:
      return to.conjugate_alpha();
    case From::beta:
      return to.beta();
    case From::constant:
      break;
  }
  return to.scalar(coefficient.value, precision);
}

void add_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  const Precision precision = builder.call().precision;
  KernelChoice choice = gemm_choice(builder, queue);
  const GemmTiles tiles = GemmTiles::of(builder.parameters(choice, queue));
  const auto first = pack(builder, queue, choice,
                          {"pack_first", product.rows, tiles.rows, product.depth, tiles.depth},
                          product.first, false);
  const auto second =
      pack(builder, queue, choice,
           {"pack_second", product.columns, tiles.columns, product.depth, tiles.depth},
           product.second, true);
  const GemmBlocks blocks =
      gemm_blocks(tiles, builder.device(queue), size_of(precision), product.rows, product.columns);
  choice.kernel = "product";
  NDRange range;
  range.dimensions = 2;
  range.global = {panels_of(panels_of(product.rows, tiles.rows), blocks.row_panels),
                  panels_of(panels_of(product.columns, tiles.columns), blocks.column_panels), 1};
  auto arguments = builder.step(queue, choice, range);
  arguments.buffer(first).buffer(second);
  put(arguments, product.result).number(product.result.leading);
  arguments.number(product.rows).number(product.columns).number(product.depth);
  put(arguments, product.alpha, precision);
  put(arguments, product.beta, precision)
      .flag(static_cast<int>(product.triangle))
      .flag(product.hermitian ? 1 : 0)
      .flag(range_of(product))
      .flag(static_cast<int>(blocks.row_panels))
      .flag(static_cast<int>(blocks.column_panels));
}

}  // namespace kiln::blas
