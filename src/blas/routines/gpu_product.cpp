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
    choose_for_few();
    shares_ = shares();
  }

  void add() {
    const auto [first, second] = pack();
    const cl::Buffer sums = room_for_sums();
    multiply(first, second, sums);
    if (shares_.parts > 1) gather(sums, shares_.parts);
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
  /// `small`: smaller tiles, for a small result.
  void choose(bool small) {
    choice_ = gemm_choice(builder_, queue_, form_, small, "product");
    tiles_ = GemmTiles::of(choice_.chosen.parameters);
  }
  /// Smaller tiles where large ones are too few for the device, or, where steps can be shared out,
  /// have too much outside the result.
  void choose_for_few() {
    const std::size_t large = all_tiles(), area = large * tiles_.rows * tiles_.columns;
    if (!streams()) {
      if (large < builder_.device(queue_).compute_units) choose(true);
      return;
    }
    choose(true);
    if (all_tiles() * tiles_.rows * tiles_.columns * 4 > area * 3) choose(false);
  }

  std::size_t tiles() const {
    return panels_of(product_.rows, tiles_.rows) * panels_of(product_.columns, tiles_.columns);
  }
  /// Tiles of all items: what fills the device.
  std::size_t all_tiles() const { return tiles() * product_.items; }

  /// How work-groups share the work: `parts` have a tile together, whose sums `gather` adds; or the
  /// kernel streams (the template product_producer): `groups` take whole tiles in turn and share
  /// out the steps of the others, the last ones, whose sums they join themselves.
  struct Shares {
    std::size_t groups = 0, parts = 1, whole = 0, streamed = 0;  ///< whole, streamed: tiles
  };

  Shares shares() const {
    const std::size_t total = all_tiles(), units = builder_.device(queue_).compute_units;
    if (!streams()) {
      const std::size_t parts = parts_of_depth();
      return {total * parts, parts, total * parts, 0};
    }
    if (total < units) return shares_of_few(total, units);
    // Units would have nothing to do in the last turn, out of all turns: where that is little,
    // joining costs as much.
    const std::size_t turns = panels_of(total, units), idle = turns * units - total;
    const bool is_little = idle * 64 < turns * units;
    const std::size_t whole = is_little ? total : (total / units - 1) * units;
    return {units, 1, whole, total - whole};
  }

  /// Of fewer tiles than there are units all are shared.
  Shares shares_of_few(std::size_t total, std::size_t units) const {
    constexpr std::size_t least_depth = 128;  // of a group
    const std::size_t least_steps = std::max<std::size_t>(1, least_depth / tiles_.depth);
    const std::size_t steps = total * panels_of(product_.depth, tiles_.depth);
    std::size_t groups = std::min(units, std::max(total, steps / least_steps));
    // Equal parts of a tile are the cheapest to join, where they make about as many groups.
    const std::size_t equal = groups / total * total;
    if (equal * 16 >= groups * 15) groups = equal;
    return groups == total ? Shares{total, 1, total, 0} : Shares{groups, 1, 0, total};
  }

  /// Whether the kernel can share out single steps: each tile has all of them, and an element's
  /// bits may depend on who has them.
  bool streams() const {
    return gpu_.producers != 0 && !builder_.call().invariant &&
           product_.triangle == Product::Triangle::whole && !product_.first.is_triangular() &&
           !product_.second.is_triangular();
  }

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

  /// Sums that wait until others join them: of each part the result's, or of each group a tile's.
  cl::Buffer room_for_sums() {
    if (shares_.parts == 1 && shares_.streamed == 0) return {};
    const std::size_t sums = shares_.parts > 1
                                 ? product_.items * shares_.parts * product_.rows * product_.columns
                                 : shares_.groups * tiles_.rows * tiles_.columns;
    return builder_.scratch(queue_, 2, sums * panel_bytes_);
  }

  void multiply(const cl::Buffer& first, const cl::Buffer& second, const cl::Buffer& sums) {
    choice_.kernel = "product";
    NDRange range;
    const std::size_t threads = gpu_.threads + gpu_.producers;
    range.local[0] = threads;
    range.global[0] = shares_.groups * threads;
    auto arguments = builder_.step(queue_, choice_, range);
    arguments.buffer(first).buffer(second);
    put_result(arguments, product_)
        .flags(shares_.parts)
        .numbers(product_.rows * product_.columns)
        .buffer(sums);
    if (gpu_.producers != 0)
      arguments.flags(product_.items, shares_.whole)
          .buffer(shares_.streamed == 0
                      ? cl::Buffer()
                      : builder_.zeros(queue_, (1 + shares_.streamed) * sizeof(cl_uint)));
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
  Shares shares_;
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
