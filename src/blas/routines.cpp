#include "blas/routines.hpp"

#include "blas/level1/level1.hpp"

namespace kiln::blas {

void add_steps(SequenceBuilder& builder) {
  switch (builder.call().routine) {
    case Routine::axpy:
      return add_axpy(builder);
    default:
      throw Error(Errc::internal, "no such routine yet");
  }
}

}  // namespace kiln::blas
