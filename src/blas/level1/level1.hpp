#pragma once

#include "blas/sequence_builder.hpp"

namespace kiln::blas {

// y = alpha x + y
void add_axpy(SequenceBuilder& to);

}  // namespace kiln::blas
