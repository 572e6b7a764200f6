#pragma once

#include <string>
#include <vector>

#include "blas/sequence_builder.hpp"

namespace kiln::blas {

/// Whether the vectors of a call lie element beside element, all in the same direction, so that a
/// kernel may go over them from the lowest address on. Where the order of the elements matters
/// (one vector, a negative increment) that is for the caller to say.
bool have_unit_strides(const Call& call);

/// The geometry of a kernel of level 1: as stream_range, in groups of work_group_of.
NDRange vector_range(const Device& device, std::size_t n);

/// The kernel NAME of level 1 on the first queue.
KernelChoice vector_kernel(const SequenceBuilder& builder, const std::string& name,
                           std::vector<Fact> facts = {});

/// Adds a vector's three arguments: memory, the place of element 0, the increment.
void add_vector(SequenceBuilder::Arguments& to, const Call& call, Slot slot);

}  // namespace kiln::blas
