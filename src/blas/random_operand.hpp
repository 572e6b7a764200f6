#pragma once

#include "blas/uses.hpp"

namespace kiln::blas {

/// Fills an argument of a call, `use.length * use.lines` contiguous elements, with random numbers
/// of -1 to 1, the same for the same slot. Of triangular matrices, packed and banded ones too, the
/// diagonal is ones and outweighs the rest, so that neither products nor solutions grow or
/// vanish over repeated calls.
void fill_at_random(const Call& call, const Use& use, void* block);

}  // namespace kiln::blas
