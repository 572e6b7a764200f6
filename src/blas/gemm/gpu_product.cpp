#include "blas/gemm/gemm_form.hpp"
#include "blas/gemm/gemm_generator.hpp"
#include "blas/gemm/gemm_tiles.hpp"
#include "blas/gemm/product_steps.hpp"

namespace kiln::blas {
namespace {

using Arguments = SequenceBuilder::Arguments;

constexpr std::size_t rounded_up(std::size_t size, std::size_t to) {
  return panels_of(size, to) * to;
}

/// Adds the steps of one product on a GPU: both factors are copied into panels, which one kernel
/// multiplies.
class GpuProduct {
 public:
  GpuProduct(SequenceBuilder& builder, unsigned queue, const Product& product)
      : builder_(builder), queue_(queue), product_(product), precision_(builder.call().precision) {
    choose(false);
    if (panels_of(product.rows, tiles_.rows) * panels_of(product.columns, tiles_.columns) <
        builder.device(queue).compute_units)
      choose(true);
  }

  void add() {
    const auto first = pack("pack_first", product_.rows, tiles_.rows, product_.first, false);
    const auto second =
        pack("pack_second", product_.columns, tiles_.columns, product_.second, true);
    choice_.kernel = "product";
    NDRange range;
    range.local[0] = gemm_threads;
    range.global[0] = panels_of(product_.rows, tiles_.rows) *
                      panels_of(product_.columns, tiles_.columns) * gemm_threads;
    auto arguments = builder_.step(queue_, choice_, range);
    arguments.buffer(first).buffer(second);
    put_result(arguments, product_, precision_);
  }

 private:
  /// `small`: tiles of which even a small result has enough for every compute unit.
  void choose(bool small) {
    choice_ = gemm_choice(builder_, queue_, small);
    tiles_ = GemmTiles::of(builder_.parameters(choice_, queue_));
  }

  /// `across`: the factor's rows are the columns of op(region).
  cl::Buffer pack(const char* kernel, std::size_t rows, std::size_t width, const Factor& factor,
                  bool across) {
    const std::size_t panels = panels_of(rows, width);
    const std::size_t padded = rounded_up(product_.depth, tiles_.depth);
    const auto packed =
        builder_.scratch(queue_, across ? 1 : 0, panels * width * padded * size_of(precision_));
    choice_.kernel = kernel;
    NDRange range;
    range.dimensions = 2;
    range.local = {32, 8, 1};
    range.global = {panels * width, panels_of(padded, 32) * 8, 1};
    auto arguments = builder_.step(queue_, choice_, range);
    put_factor(arguments, factor, across)
        .number(rows)
        .number(product_.depth)
        .number(padded)
        .buffer(packed);
    return packed;
  }

  SequenceBuilder& builder_;
  unsigned queue_;
  const Product& product_;
  Precision precision_;
  KernelChoice choice_;
  GemmTiles tiles_;
};

}  // namespace

void add_gpu_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  GpuProduct(builder, queue, product).add();
}

}  // namespace kiln::blas
