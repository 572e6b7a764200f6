#include <algorithm>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/product.hpp"
#include "blas/sequence/sequence_builder.hpp"

namespace kiln::blas {
namespace {

/// Adds the steps of one product on a GPU: both factors are copied into panels, which one kernel
/// multiplies.
class GpuProduct {
 public:
  GpuProduct(SequenceBuilder& builder, unsigned queue, const Product& product)
      : builder_(builder),
        queue_(queue),
        product_(product),
        precision_(builder.call().precision),
        threads_(gpu_form(builder.gemm_form(queue)).threads) {
    choose(false);
    if (tiles() < builder.device(queue).compute_units) choose(true);
  }

  void add() {
    const auto first = pack("pack_first", product_.rows, tiles_.rows, product_.first, false);
    const auto second =
        pack("pack_second", product_.columns, tiles_.columns, product_.second, true);
    const std::size_t parts = parts_of_depth();
    if (parts == 1) return multiply(first, second, product_, 1);
    Product sums = product_;
    sums.result = {
        std::nullopt,
        builder_.scratch(queue_, 2, parts * product_.rows * product_.columns * size_of(precision_)),
        0, static_cast<std::int64_t>(product_.rows)};
    sums.alpha = 1;
    sums.beta = 0;
    sums.hermitian = false;
    multiply(first, second, sums, parts);
    gather(sums.result.buffer, parts);
  }

 private:
  /// `small`: tiles of which even a small result has enough for every compute unit.
  void choose(bool small) {
    choice_ = gemm_choice(builder_, queue_, small, "product");
    tiles_ = GemmTiles::of(choice_.chosen.parameters);
  }

  std::size_t tiles() const {
    return panels_of(product_.rows, tiles_.rows) * panels_of(product_.columns, tiles_.columns);
  }

  /// Work-groups that share a tile: where the tiles are too few, but the depth is worth sharing.
  std::size_t parts_of_depth() const {
    constexpr std::size_t least_depth = 256;
    const std::size_t units = builder_.device(queue_).compute_units;
    return std::clamp<std::size_t>(2 * units / tiles(), 1,
                                   std::max<std::size_t>(1, product_.depth / least_depth));
  }

  void multiply(const cl::Buffer& first, const cl::Buffer& second, const Product& product,
                std::size_t parts) {
    choice_.kernel = "product";
    NDRange range;
    range.local[0] = threads_;
    range.global[0] = tiles() * parts * threads_;
    auto arguments = builder_.step(queue_, choice_, range);
    arguments.buffer(first).buffer(second);
    put_result(arguments, product).flags(parts).numbers(product.rows * product.columns);
  }

  void gather(const cl::Buffer& sums, std::size_t parts) {
    choice_.kernel = "gather";
    const std::size_t elements = product_.rows * product_.columns;
    auto arguments =
        builder_.step(queue_, choice_, stream_range(builder_.device(queue_), elements));
    put_result(arguments.buffer(sums).numbers(elements).flags(parts), product_);
  }

  /// `across`: the factor's rows are the columns of op(region).
  cl::Buffer pack(const char* kernel, std::size_t rows, std::size_t width, const Factor& factor,
                  bool across) {
    const std::size_t panels = panels_of(rows, width);
    const std::size_t padded = panels_of(product_.depth, tiles_.depth) * tiles_.depth;
    const auto packed =
        builder_.scratch(queue_, across ? 1 : 0, panels * width * padded * size_of(precision_));
    choice_.kernel = kernel;
    NDRange range;
    range.dimensions = 2;
    const std::size_t lines = threads_ / 32;
    range.local = {32, lines, 1};
    range.global = {panels * width, panels_of(padded, 32) * lines, 1};
    auto arguments = builder_.step(queue_, choice_, range);
    put_factor(arguments, factor, across).numbers(rows, product_.depth, padded).buffer(packed);
    return packed;
  }

  SequenceBuilder& builder_;
  unsigned queue_;
  const Product& product_;
  Precision precision_;
  std::size_t threads_;
  KernelChoice choice_;
  GemmTiles tiles_;
};

}  // namespace

void add_gpu_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  GpuProduct(builder, queue, product).add();
}

}  // namespace kiln::blas
