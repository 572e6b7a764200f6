#include "blas/gemm/product.hpp"

#include "blas/gemm/gemm_form.hpp"
#include "blas/gemm/gemm_generator.hpp"
#include "blas/gemm/gemm_tiles.hpp"

namespace kiln::blas {
namespace {

using Arguments = SequenceBuilder::Arguments;

constexpr std::size_t rounded_up(std::size_t size, std::size_t to) {
  return panels_of(size, to) * to;
}

/// Which part of the depth matters for a tile: the kernel's argument `range`.
int range_of(const Product& product) {
  if (product.first.is_triangular()) return product.first.stored == Factor::Stored::lower ? 1 : 2;
  if (product.second.is_triangular()) return product.second.stored == Factor::Stored::lower ? 3 : 4;
  return 0;
}

/// Adds the steps of one product.
class ProductSteps {
 public:
  ProductSteps(SequenceBuilder& builder, unsigned queue, const Product& product)
      : builder_(builder),
        queue_(queue),
        product_(product),
        precision_(builder.call().precision),
        form_(builder.gemm_form(queue)) {
    choice_.family = GemmGenerator().family();
    choice_.version = GemmGenerator().version();
    choose(false);
    if (!is_cpu_form(form_) &&
        panels_of(product.rows, tiles_.rows) * panels_of(product.columns, tiles_.columns) <
            builder.device(queue).compute_units)
      choose(true);
  }

  void add() {
    const auto first = pack("pack_first", product_.rows, tiles_.rows, product_.first, false);
    const auto second =
        pack("pack_second", product_.columns, tiles_.columns, product_.second, true);
    const GemmBlocks blocks = gemm_blocks(tiles_, builder_.device(queue_), size_of(precision_),
                                          product_.rows, product_.columns);
    choice_.kernel = "product";
    auto arguments = builder_.step(queue_, choice_, range(blocks));
    arguments.buffer(first).buffer(second);
    put(arguments, product_.result).number(product_.result.leading);
    arguments.number(product_.rows).number(product_.columns).number(product_.depth);
    put(arguments, product_.alpha, precision_);
    put(arguments, product_.beta, precision_)
        .flag(static_cast<int>(product_.triangle))
        .flag(product_.hermitian ? 1 : 0)
        .flag(range_of(product_))
        .flag(static_cast<int>(blocks.row_panels))
        .flag(static_cast<int>(blocks.column_panels));
  }

 private:
  /// `small`: tiles of which even a small result has enough for every compute unit.
  void choose(bool small) {
    choice_.facts = {{"precision", std::string(1, letter(precision_))},
                     {"form", form_},
                     {"small", std::int64_t{small}},
                     {"native_floats", std::int64_t{builder_.device(queue_).native_floats}}};
    tiles_ = GemmTiles::of(builder_.parameters(choice_, queue_));
  }
  /// `across`: the factor's rows are the columns of op(region).
  cl::Buffer pack(const char* kernel, std::size_t rows, std::size_t width, const Factor& factor,
                  bool across) {
    const bool on_cpu = is_cpu_form(form_);
    const std::size_t panels = panels_of(rows, width);
    const std::size_t padded = on_cpu ? product_.depth : rounded_up(product_.depth, tiles_.depth);
    const auto packed =
        builder_.scratch(queue_, across ? 1 : 0, panels * width * padded * size_of(precision_));
    // Steps through op(region): along the panel and along its columns.
    const bool turned = (factor.trans != Transpose::none) != across;
    Factor::Stored stored = factor.stored;
    if (across && stored != Factor::Stored::everywhere)
      stored = stored == Factor::Stored::lower ? Factor::Stored::upper : Factor::Stored::lower;
    choice_.kernel = kernel;
    NDRange range;
    range.dimensions = 2;
    if (on_cpu) {
      range.global = {panels, panels_of(padded, tiles_.depth), 1};
    } else {
      range.local = {32, 8, 1};
      range.global = {panels * width, panels_of(padded, 32) * 8, 1};
    }
    auto arguments = builder_.step(queue_, choice_, range);
    put(arguments, factor.region)
        .number(turned ? factor.region.leading : 1)
        .number(turned ? 1 : factor.region.leading)
        .flag(static_cast<int>(stored))
        .flag(static_cast<int>(factor.outside))
        .flag(static_cast<int>(factor.diagonal))
        .flag(factor.trans == Transpose::conjugate ? 1 : 0)
        .number(rows)
        .number(product_.depth);
    if (!on_cpu) arguments.number(padded);
    arguments.buffer(packed);
    return packed;
  }

  NDRange range(const GemmBlocks& blocks) const {
    const std::size_t row_panels = panels_of(product_.rows, tiles_.rows);
    const std::size_t column_panels = panels_of(product_.columns, tiles_.columns);
    NDRange range;
    if (is_cpu_form(form_)) {
      range.dimensions = 2;
      range.global = {panels_of(row_panels, blocks.row_panels),
                      panels_of(column_panels, blocks.column_panels), 1};
    } else {
      range.local[0] = gemm_threads;
      range.global[0] = row_panels * column_panels * gemm_threads;
    }
    return range;
  }

  SequenceBuilder& builder_;
  unsigned queue_;
  const Product& product_;
  Precision precision_;
  std::string form_;
  KernelChoice choice_;
  GemmTiles tiles_;
};

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
  ProductSteps(builder, queue, product).add();
}

}  // namespace kiln::blas
