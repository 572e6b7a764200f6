#pragma once

#include "blas/call/call.hpp"
#include "kiln/api.hpp"

/// The way from libclBLAS.so and libclblast.so into libkiln.so, where the routines, the one store
/// and the one Resolver of a process are. All libraries come from one build: libkiln.so exports
/// these names under a symbol version that is the build's own, and a program with libraries of two
/// builds does not start, rather than go wrong.
extern "C" {

/// run_in() of the process's library (library.hpp) for callers that know no exceptions: a
/// clblasStatus. Thread-safe.
KILN_API int kiln_blas_run(const kiln::blas::Call& call,
                           const kiln::blas::Execution& execution) noexcept;

/// Forgets what calls have prepared; what runs meanwhile may stay. Thread-safe.
KILN_API void kiln_blas_forget() noexcept;

/// is_queue() (device/queue_handle.hpp).
KILN_API bool kiln_is_queue(cl_command_queue queue) noexcept;

}  // extern "C"
