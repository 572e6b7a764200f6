#include <algorithm>

#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/product.hpp"

// Products with a small result and a great depth on CPUs: parts of the depth at a time, added in
// the end.
namespace kiln::blas {
namespace {

/// From this depth on parts are worth the sums that each writes.
constexpr std::size_t least_deep = 4096;

/// What half of a second-level cache holds: a block of both factors, packed.
constexpr std::size_t most_deep_block = 512 << 10;

/// Multiplications that are worth a launch of their own for what they are added by.
constexpr std::size_t work_of_deep_part = std::size_t{2} << 20;

/// How a product's depth is shared, if it is.
struct Parts {
  std::size_t count = 0;  ///< of the depth: work-items; 0: it is not
  std::size_t block = 0;  ///< columns of the depth that are packed at a time
  std::size_t own = 0;    ///< reals of packed panels, for each
  std::size_t sums = 0;   ///< elements of the sums, of each
};

Parts parts_of(const Product& product, const GemmTiles& tiles, std::size_t units,
               Precision precision) {
  const std::size_t rows = panels_of(product.rows, tiles.rows) * tiles.rows;
  const std::size_t columns = panels_of(product.columns, tiles.columns) * tiles.columns;
  Parts parts;
  parts.block = panels_of(product.depth, panels_of(product.depth, tiles.depth));
  const std::size_t elements = (rows + columns) * parts.block;
  if (elements * size_of(precision) > most_deep_block) return parts;
  constexpr std::size_t line = 64;  // a cache line, at least
  parts.own = panels_of(elements * (is_complex(precision) ? 2 : 1), line) * line;
  parts.sums = rows * columns;
  const std::size_t worth = product.rows * product.columns * product.depth / work_of_deep_part;
  parts.count = std::min({worth, units, panels_of(product.depth, parts.block)});
  return parts;
}

bool is_deep(const SequenceBuilder& builder, unsigned queue, const Product& product) {
  // Panels of bytes are the kernel `product`'s alone.
  return builder.gemm_form(queue, product.form()) == "cpu" && !builder.call().invariant &&
         product.items == 1 && product.gated == ProductForm::Gated::no &&
         product.depth >= least_deep && !product.first.is_triangular() &&
         !product.second.is_triangular();
}

}  // namespace

bool add_deep_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  if (!is_deep(builder, queue, product)) return false;
  const ProductForm form = product.form();
  const Precision precision = builder.call().precision;
  const KernelChoice choice = gemm_choice(builder, queue, form, false, "deep_product");
  const GemmTiles tiles = GemmTiles::of(choice.chosen.parameters);
  const Device& device = builder.device(queue);
  const Parts parts = parts_of(product, tiles, device.compute_units, precision);
  if (parts.count < 2) return false;

  const std::size_t element = size_of(precision), real = element / (is_complex(precision) ? 2 : 1);
  const cl::Buffer sums = builder.scratch(queue, 1, parts.count * parts.sums * element);
  auto multiply = builder.step(queue, choice, work_groups(device, parts.count));
  put_factor(multiply, product.first, false);
  put_factor(multiply, product.second, true);
  multiply.numbers(product.rows, product.columns, product.depth)
      .flags(product.triangle)
      .buffer(builder.scratch(queue, 0, parts.count * parts.own * real))
      .numbers(parts.own)
      .flags(parts.block)
      .buffer(sums);
  put_scales(multiply, product);

  KernelChoice join = choice;
  join.kernel = "join_parts";
  const std::size_t panels = parts.sums / (tiles.rows * tiles.columns);
  auto add = builder.step(queue, join,
                          work_groups(device, std::min<std::size_t>(panels, device.compute_units)));
  put(add.buffer(sums).flags(parts.count), product.result)
      .numbers(product.result.leading, product.rows, product.columns)
      .scalars(product.alpha, product.beta)
      .flags(product.triangle, product.hermitian);
  if (form.is_special()) put_after(add, product.after);
  return true;
}

}  // namespace kiln::blas
