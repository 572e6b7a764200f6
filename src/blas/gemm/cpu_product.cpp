#include "blas/gemm/cpu_tasks.hpp"
#include "blas/gemm/product_steps.hpp"

namespace kiln::blas {
namespace {

/// Whether a factor may lie where the result is written. Arguments of a call that overlap are the
/// caller's mistake in BLAS, but where a routine writes the operand that it reads.
bool is_in_place(const Product& product) {
  const auto meets = [&](const Factor& factor) {
    return factor.region.slot == product.result.slot &&
           (factor.region.slot || factor.region.buffer() == product.result.buffer());
  };
  return meets(product.first) || meets(product.second);
}

}  // namespace

void add_cpu_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  KernelChoice choice = gemm_choice(builder, queue, false);
  choice.kernel = "product";
  const std::size_t element = size_of(builder.call().precision);
  const GemmTiles tiles = GemmTiles::of(builder.parameters(choice, queue));
  const CpuTasks tasks =
      CpuTasks::of(tiles, builder.device(queue).compute_units, element, product.rows,
                   product.columns, product.depth, is_in_place(product));
  const auto packed = [&](unsigned number, std::size_t rows, std::size_t width) {
    return builder.scratch(queue, number,
                           tasks.slots * tasks.block * panels_of(rows, width) * width * element);
  };
  NDRange range;
  range.global[0] = tasks.teams;
  auto arguments = builder.step(queue, choice, range);
  put_factor(arguments, product.first, false);
  put_factor(arguments, product.second, true);
  put_result(arguments, product, builder.call().precision)
      .buffer(packed(0, product.rows, tiles.rows))
      .buffer(packed(1, product.columns, tiles.columns))
      .buffer(builder.zeros(queue, (32 + tasks.counters) * sizeof(cl_int)));
  for (const auto value : {tasks.block, tasks.slots, tasks.lead, tasks.first_panels,
                           tasks.second_panels, tasks.row_panels, tasks.column_panels})
    arguments.flag(static_cast<int>(value));
}

}  // namespace kiln::blas
