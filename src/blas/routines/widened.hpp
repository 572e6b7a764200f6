#pragma once

#include "blas/sequence/sequence_builder.hpp"

// Routines whose kernels know operands of the call's precision alone, for operands that lie in
// memory otherwise (Operand::stored): these are copied into workspace, and results back.
namespace kiln::blas {

/// Whether a routine's own kernels take operands as they lie.
bool takes_stored(Routine routine);

/// Adds the steps of a call with such operands; `add` those of the same call without.
void add_widened(SequenceBuilder& builder, void (*add)(SequenceBuilder&));

}  // namespace kiln::blas
