#pragma once

#include <string>
#include <vector>

#include "blas/sequence_builder.hpp"

namespace kiln::blas {

/// The kernel NAME of templates/NAME.cl for the precision of the builder's call and the device of a
/// queue, with further facts.
KernelChoice template_choice(const SequenceBuilder& builder, unsigned queue,
                             const std::string& name, std::vector<Fact> facts = {});

/// Work-items of a template's work-group: on a CPU 1, else a power of two up to 256.
std::size_t work_group_of(const Device& device);

/// The geometry of a kernel that goes over n elements by FOR_MINE: on a CPU a few work-items a core
/// with long stretches each, elsewhere enough work-groups to fill the device.
NDRange stream_range(const Device& device, std::size_t n);

}  // namespace kiln::blas
