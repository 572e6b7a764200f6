#pragma once

#include "blas/api/library.hpp"
#include "kiln/blas/explain.hpp"

namespace kiln::blas {

/// A sequence as people and other programs see it. `devices`: a name for each queue.
Sequence describe(const SolutionSequence& sequence, std::span<const std::string> devices);

/// explain() by a library that is not the process's.
Sequence explain(Library& library, const Call& call, std::span<const cl_command_queue> queues);

}  // namespace kiln::blas
