#pragma once

#include "blas/call.hpp"
#include "blas/status.hpp"

namespace kiln::blas {

/// Checks the arguments of a call as clBLAS does, and by its codes: queues and wait list, memory
/// objects, sizes, leading dimensions and increments, and the lengths of the buffers; memory of
/// another context than the queues' is CL_INVALID_CONTEXT. Two
/// differences: k = 0 is no error but what BLAS means by it (C = beta C), and no check is left out
/// for any routine. Whether a device has double precision is Library::supports(). Allocates
/// nothing. Thread-safe.
Status validate(const Call& call, const Execution& execution);
/// The same for a call that will not run: its memory objects may be null, which is then no error.
Status validate_shape(const Call& call, const Execution& execution);

/// Whether what was given for queues are queues: drivers do not say, and what is none crashes them.
/// Too slow for a call whose sequence is known, which had the same handles before. After
/// validate().
Status check_handles(const Execution& execution);

}  // namespace kiln::blas
