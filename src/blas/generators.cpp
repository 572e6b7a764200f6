#include "blas/generators.hpp"

#include "blas/gemm/gemm_generator.hpp"
#include "blas/template/template_list.hpp"

namespace kiln::blas {

void add_generators(Resolver& resolver) {
  for (auto& generator : template_generators()) resolver.add(std::move(generator));
  resolver.add(std::make_unique<GemmGenerator>());
}

}  // namespace kiln::blas
