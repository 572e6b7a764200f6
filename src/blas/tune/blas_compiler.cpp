#include "blas/tune/blas_compiler.hpp"

namespace kiln::blas {

Parameters parameters_of(const tune::SearchSpace& space, tune::ConfigurationId id) {
  Parameters parameters;
  const auto& names = space.parameters();
  for (std::size_t i = 0; i < names.size(); ++i)
    parameters.set(names[i].name, *space.value(id, i).to_integer());
  return parameters;
}

// A sequence is built for a shape: the operands that it will run with need not be there.
void BlasCompiler::compile(tune::ConfigurationId id) {
  resolver_.try_out(family_, parameters_of(space_, id));
  const cl_command_queue queue = queue_.cl()();
  library_.build(call_, {std::span(&queue, 1)});
}

}  // namespace kiln::blas
