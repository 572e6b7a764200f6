#pragma once

#include "blas/call.hpp"
#include "blas/status.hpp"

namespace kiln::blas {

class Library;

/// Library::process(), which from now on has something to forget (kiln_blas_forget). Thread-safe.
Library& process_library();

/// Library::process().run() as interfaces offer it: `events` gets an entry for every queue, null
/// for queues that got no work; nothing is written there before the wait list was read, since it
/// may be the same array, and nothing where the call fails. Thread-safe. Throws as that does.
Status run_in_process(const Call& call, const Execution& execution);

}  // namespace kiln::blas
