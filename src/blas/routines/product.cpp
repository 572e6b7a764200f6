#include "blas/routines/product.hpp"

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

}  // namespace

KernelChoice gemm_choice(const SequenceBuilder& builder, unsigned queue, bool small,
                         std::string kernel) {
  const bool solves = kernel == "solve";
  return builder.choose(queue, GemmGenerator().family(), GemmGenerator().version(),
                        GemmPayload{builder.call().precision, builder.gemm_form(queue), small,
                                    builder.device(queue).native_floats, solves},
                        std::move(kernel));
}

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

Arguments& put_factor(Arguments& to, const Factor& factor, bool across) {
  // Steps through op(region): along the panel and along its columns.
  const bool transposed = (factor.trans != Transpose::none) != across;
  Factor::Stored stored = factor.stored;
  if (across && stored != Factor::Stored::everywhere)
    stored = stored == Factor::Stored::lower ? Factor::Stored::upper : Factor::Stored::lower;
  return put(to, factor.region)
      .number(transposed ? factor.region.leading : 1)
      .number(transposed ? 1 : factor.region.leading)
      .flag(static_cast<int>(stored))
      .flag(static_cast<int>(factor.outside))
      .flag(static_cast<int>(factor.diagonal))
      .flag(factor.trans == Transpose::conjugate ? 1 : 0);
}

Arguments& put_result(Arguments& to, const Product& product, Precision precision) {
  put(to, product.result)
      .number(product.result.leading)
      .number(product.rows)
      .number(product.columns)
      .number(product.depth);
  put(to, product.alpha, precision);
  return put(to, product.beta, precision)
      .flag(static_cast<int>(product.triangle))
      .flag(product.hermitian ? 1 : 0)
      .flag(range_of(product));
}

void add_product(SequenceBuilder& builder, unsigned queue, const Product& product) {
  if (product.depth == 0) return;
  is_cpu_form(builder.gemm_form(queue)) ? add_cpu_product(builder, queue, product)
                                        : add_gpu_product(builder, queue, product);
}

}  // namespace kiln::blas
