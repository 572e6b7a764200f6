#include "blas/tune/blas_compiler.hpp"

#include "tune/space/configuration_of.hpp"

namespace kiln::blas {

// A sequence is built for a shape: the operands that it will run with need not be there.
void BlasCompiler::compile(tune::ConfigurationId id) {
  resolver_.try_out(family_, parameters_of(space_, id));
  const cl_command_queue queue = queue_.cl()();
  library_.build(call_, {std::span(&queue, 1)});
  resolver_.finish();  // into the store, where who measures looks
}

}  // namespace kiln::blas
