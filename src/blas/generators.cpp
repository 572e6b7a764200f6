#include "blas/generators.hpp"

#include "blas/template/template_list.hpp"

namespace kiln::blas {

void add_generators(Resolver& resolver) {
  for (auto& generator : template_generators()) resolver.add(std::move(generator));
}

}  // namespace kiln::blas
