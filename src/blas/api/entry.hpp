#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "blas/call/call.hpp"
#include "kiln/api.hpp"
#include "kiln/blas/batch.hpp"

namespace kiln::blas {
/// Parameters as they pass from library to library.
using NamedValues = std::map<std::string, std::int64_t>;
}  // namespace kiln::blas

/// The way from libclBLAS.so and libclblast.so into libkiln.so, where the routines, the one store
/// and the one Resolver of a process are. All libraries come from one build: libkiln.so exports
/// these names under a symbol version that is the build's own, and a program with libraries of two
/// builds does not start, rather than go wrong.
extern "C" {

/// run_in() of the process's library (library.hpp) for callers that know no exceptions: a
/// clblasStatus. Thread-safe.
KILN_API int kiln_blas_run(const kiln::blas::Call& call,
                           const kiln::blas::Execution& execution) noexcept;

/// The same for many calls of one shape, a gemm or an axpy, whose operands' offsets and scalars are
/// those of `items` alone (BatchItem; of an axpy x's place is `a` and y's is `b`): one launch with
/// a table, where there is such a form (has_table_form()), else not_implemented. No items may write
/// what another one writes: this is not checked, nor whether they lie within their buffers.
/// Thread-safe.
KILN_API int kiln_blas_run_items(const kiln::blas::Call& call,
                                 std::span<const kiln::blas::BatchItem> items,
                                 const kiln::blas::Execution& execution) noexcept;

/// Forgets what calls have prepared; what runs meanwhile may stay. Thread-safe.
KILN_API void kiln_blas_forget() noexcept;

/// Sets Parameters of a family's kernels, on a device and in a precision, for later calls of the
/// process, in place of what is on record (SetParameters); none: takes them back. Thread-safe.
KILN_API void kiln_blas_set_parameters(cl_device_id device, const std::string& family,
                                       kiln::blas::Precision precision,
                                       const kiln::blas::NamedValues& values) noexcept;

/// tune_here() (tune/tune_here.hpp) with the process's library, for a call whose sizes and options
/// are set: a clblasStatus, and the best Parameters of the call's family. A routine whose kernels
/// have none leaves `best` empty. Thread-safe.
KILN_API int kiln_blas_tune(const kiln::blas::Call& call, cl_command_queue queue, double fraction,
                            kiln::blas::NamedValues& best) noexcept;

/// is_queue() (device/queue_handle.hpp).
KILN_API bool kiln_is_queue(cl_command_queue queue) noexcept;

}  // extern "C"
