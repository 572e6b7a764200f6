#include <algorithm>
#include <utility>

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
        form_(product.form()),
        panel_bytes_(form_.is_integer() ? sizeof(cl_int) : size_of(builder.call().precision)),
        gpu_(gpu_form(builder.gemm_form(queue))) {
    choose(false);
    if (all_tiles() < builder.device(queue).compute_units) choose(true);
  }

  void add() {
    const auto [first, second] = pack();
    const std::size_t parts = parts_of_depth();
    const cl::Buffer sums = parts == 1 ? cl::Buffer()
                                       : builder_.scratch(queue_, 2,
                                                          product_.items * parts * product_.rows *
                                                              product_.columns * panel_bytes_);
    multiply(first, second, sums, parts);
    if (parts > 1) gather(sums, parts);
  }

  /// What becomes of sums that another kernel has left, column by column.
  void gather(const cl::Buffer& sums, std::size_t parts) {
    choice_.kernel = "gather";
    const std::size_t elements = product_.rows * product_.columns;
    NDRange range = stream_range(builder_.device(queue_), elements);
    range.dimensions = 2;
    range.global[1] = product_.items;
    range.local[1] = 1;
    auto arguments = builder_.step(queue_, choice_, range);
    put_result(arguments.buffer(sums).numbers(elements).flags(parts), product_);
    put_items(arguments);
  }

 private:
  /// `small`: tiles of which even a small result has enough for every compute unit.
  void choose(bool small) {
    choice_ = gemm_choice(builder_, queue_, form_, small, "product");
    tiles_ = GemmTiles::of(choice_.chosen.parameters);
  }

  std::size_t tiles() const {
    return panels_of(product_.rows, tiles_.rows) * panels_of(product_.columns, tiles_.columns);
  }
  /// Tiles of all items: what fills the device.
  std::size_t all_tiles() const { return tiles() * product_.items; }

  /// Work-groups that share a tile: where the tiles are too few, but the depth is worth sharing.
  std::size_t parts_of_depth() const {
    constexpr std::size_t least_depth = 256;
    if (builder_.call().invariant) return 1;
    const std::size_t units = builder_.device(queue_).compute_units;
    return std::clamp<std::size_t>(2 * units / all_tiles(), 1,
                                   std::max<std::size_t>(1, product_.depth / least_depth));
  }

  /// What the kernels have behind the arguments of the result.
  void put_items(SequenceBuilder::Arguments& to) {
    to.numbers(product_.result.item_step, product_.after.bias.item_step,
               product_.after.scale.item_step, product_.after.residual.item_step);
    if (form_.is_special()) put_after(to, product_.after);
    put_gate(to, product_);
  }

  void multiply(const cl::Buffer& first, const cl::Buffer& second, const cl::Buffer& sums,
                std::size_t parts) {
    choice_.kernel = "product";
    NDRange range;
    range.dimensions = 2;
    const std::size_t threads = gpu_.threads + gpu_.producers;
    range.local = {threads, 1, 1};
    range.global = {tiles() * parts * threads, product_.items, 1};
    auto arguments = builder_.step(queue_, choice_, range);
    arguments.buffer(first).buffer(second);
    put_result(arguments, product_)
        .flags(parts)
        .numbers(product_.rows * product_.columns)
        .buffer(sums);
    put_items(arguments);
  }

  /// Copies both factors into panels.
  std::pair<cl::Buffer, cl::Buffer> pack() {
    const std::size_t padded = panels_of(product_.depth, tiles_.depth) * tiles_.depth;
    const std::size_t first_rows = panels_of(product_.rows, tiles_.rows) * tiles_.rows;
    const std::size_t second_rows = panels_of(product_.columns, tiles_.columns) * tiles_.columns;
    const auto room = [&](unsigned number, std::size_t rows) {
      return builder_.scratch(queue_, number, product_.items * rows * padded * panel_bytes_);
    };
    const std::pair packed{room(0, first_rows), room(1, second_rows)};
    choice_.kernel = "pack_both";
    NDRange range;
    range.dimensions = 3;
    const std::size_t lines = gpu_.threads / 32;
    range.local = {32, lines, 1};
    range.global = {first_rows + second_rows, panels_of(padded, 32) * lines, product_.items};
    auto arguments = builder_.step(queue_, choice_, range);
    put_packed(arguments, product_.first, false, product_.rows, packed.first);
    put_packed(arguments, product_.second, true, product_.columns, packed.second);
    arguments.numbers(product_.depth, padded);
    put_gate(arguments, product_);
    return packed;
  }

  /// `across`: the factor's rows are the columns of op(region).
  static void put_packed(SequenceBuilder::Arguments& to, const Factor& factor, bool across,
                         std::size_t rows, const cl::Buffer& packed) {
    put_factor(to, factor, across);
    factor.scales ? to.operand(*factor.scales, factor.first_scale)
                  : to.buffer(cl::Buffer()).numbers(0);
    to.numbers(factor.group, factor.groups, factor.scale_item_step, factor.region.item_step, rows)
        .buffer(packed);
  }

  SequenceBuilder& builder_;
  unsigned queue_;
  const Product& product_;
  ProductForm form_;
  std::size_t panel_bytes_;
  GpuForm gpu_;
  KernelChoice choice_;
  GemmTiles tiles_;
};

}  // namespace

void add_gpu_gather(SequenceBuilder& builder, unsigned queue, const Product& product,
                    const cl::Buffer& sums) {
  GpuProduct(builder, queue, product).gather(sums, 1);
}

void add_gpu_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  // Packed factors of as many items at a time as a share of the device's memory has room for.
  constexpr std::size_t most_bytes = std::size_t{256} << 20, most_items = 32768;
  const std::size_t each = (product.rows + product.columns + 256) * (product.depth + 64) *
                           size_of(builder.call().precision);
  const std::size_t at_once =
      std::clamp<std::size_t>(most_bytes / each, 1, std::min(most_items, product.items));
  for (std::size_t item = 0; item < product.items; item += at_once) {
    Product some = product.item(item);
    some.items = std::min(at_once, product.items - item);
    GpuProduct(builder, queue, some).add();
  }
}

}  // namespace kiln::blas
