#pragma once

#include "blas/sequence_builder.hpp"

namespace kiln::blas {

/// Decomposes the builder's call into steps: the routine's own function does. Throws
/// kiln::Error (build, device).
void add_steps(SequenceBuilder& builder);

}  // namespace kiln::blas
