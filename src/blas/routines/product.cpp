#include "blas/routines/product.hpp"

#include <algorithm>
#include <utility>

#include "blas/generator/gemm_generator.hpp"

namespace kiln::blas {
namespace {

using Arguments = SequenceBuilder::Arguments;

/// Which part of the depth matters for a tile: the kernel's argument `range`.
int range_of(const Product& product) {
  if (product.first.is_triangular()) return product.first.stored == Factor::Stored::lower ? 1 : 2;
  if (product.second.is_triangular()) return product.second.stored == Factor::Stored::lower ? 3 : 4;
  return 0;
}

GemmPayload::Kernels kernels_of(const std::string& kernel) {
  using enum GemmPayload::Kernels;
  if (kernel == "solve") return solve;
  return kernel == "deep_product" ? deep : product;
}

}  // namespace

KernelChoice gemm_choice(const SequenceBuilder& builder, unsigned queue, const ProductForm& form,
                         bool small, std::string kernel) {
  const auto kernels = kernels_of(kernel);
  return builder.choose(queue, GemmGenerator().family(), GemmGenerator().version(),
                        GemmPayload{builder.call().precision, builder.gemm_form(queue, form), small,
                                    builder.device(queue).native_floats, kernels, form},
                        std::move(kernel));
}

Arguments& put(Arguments& to, const Region& region) {
  if (region.slot) return to.operand(*region.slot, region.add);
  return to.buffer(region.buffer).numbers(region.add);
}

Arguments& put_factor(Arguments& to, const Factor& factor, bool across) {
  // Steps through op(region): along the panel and along its columns.
  std::int64_t along = 1, next = factor.region.leading;
  if ((factor.trans != Transpose::none) != across) std::swap(along, next);
  Factor::Stored stored = factor.stored;
  if (across && stored != Factor::Stored::everywhere)
    stored = stored == Factor::Stored::lower ? Factor::Stored::upper : Factor::Stored::lower;
  return put(to, factor.region)
      .numbers(along, next)
      .flags(stored, factor.outside, factor.diagonal, factor.trans == Transpose::conjugate);
}

Arguments& put_result(Arguments& to, const Product& product) {
  return put(to, product.result)
      .numbers(product.result.leading, product.rows, product.columns, product.depth)
      .scalars(product.alpha, product.beta)
      .flags(product.triangle, product.hermitian, range_of(product));
}

Arguments& put_after(Arguments& to, const AfterProduct& after) {
  const auto put_if = [&](bool is_there, const Region& region) -> Arguments& {
    return is_there ? put(to, region) : to.buffer(cl::Buffer()).numbers(0);
  };
  put_if(after.what.bias != Along::none, after.bias).numbers(after.bias.leading);
  put_if(after.what.scale != Along::none, after.scale).numbers(after.scale.leading);
  std::int64_t row = 1, column = after.residual.leading;
  if (after.flipped) std::swap(row, column);
  return put_if(after.what.residual, after.residual).numbers(row, column);
}

namespace {

/// A product whose sums the matrix units make, but whose result is of a kind that they do not
/// write: these are two steps. Returns false, and adds nothing, for others.
bool add_by_way_of_sums(SequenceBuilder& builder, unsigned queue, const Product& product) {
  const ProductForm form = product.form();
  if (!form.is_special() || product.gated != ProductForm::Gated::no) return false;
  Product sums = product;
  sums.after = {};
  sums.alpha = 1;
  sums.beta = 0;
  sums.result = {};
  sums.result.leading = static_cast<std::int64_t>(product.rows);
  sums.result.item_step = static_cast<std::int64_t>(product.rows * product.columns);
  sums.result.stored = form.is_integer() ? Storage::int32 : Storage::native;
  if (!takes_matrix_units(builder, queue, sums)) return false;
  // As many items at a time as a share of the memory, and a dimension of work-groups, has room for.
  constexpr std::size_t most_bytes = std::size_t{256} << 20, most_items = 32768;
  const std::size_t each = product.rows * product.columns * sizeof(float);
  const std::size_t at_once =
      std::clamp<std::size_t>(most_bytes / each, 1, std::min(most_items, product.items));
  // The numbers below 4 are the product's own.
  sums.result.buffer = builder.scratch(queue, 4, at_once * each);
  for (std::size_t item = 0; item < product.items; item += at_once) {
    Product made = sums.item(item), some = product.item(item);
    made.result.add = 0;
    made.items = some.items = std::min(at_once, product.items - item);
    add_matrix_unit_product(builder, queue, made);
    add_gpu_gather(builder, queue, some, sums.result.buffer);
  }
  return true;
}

}  // namespace

void add_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  if (product.depth == 0 || add_skinny_product(builder, queue, product) ||
      add_emulated_product(builder, queue, product))
    return;
  if (takes_matrix_units(builder, queue, product))
    return add_matrix_unit_product(builder, queue, product);
  if (add_by_way_of_sums(builder, queue, product)) return;
  if (add_deep_product(builder, queue, product)) return;
  is_cpu_form(builder.gemm_form(queue)) ? add_cpu_product(builder, queue, product)
                                        : add_gpu_product(builder, queue, product);
}

}  // namespace kiln::blas
