#include "blas/level3/scale_result.hpp"

#include "blas/template/template_choice.hpp"

namespace kiln::blas {

void add_scaling(SequenceBuilder& builder, unsigned queue, const Product& product) {
  NDRange range;
  range.global[0] = product.columns;
  auto arguments = builder.step(queue, template_choice(builder, queue, "scale_matrix"), range);
  arguments.number(product.rows);
  put(arguments, product.beta, builder.call().precision);
  put(arguments, product.result)
      .number(product.result.leading)
      .flag(static_cast<int>(product.triangle))
      .flag(product.hermitian ? 1 : 0);
}

}  // namespace kiln::blas
