#pragma once

#include <optional>

#include "blas/api/library.hpp"

namespace kiln::blas {

/// Parameters that a search has put on record.
struct Tuned {
  Parameters best;
  double seconds = 0;   ///< of one run with these
  double standard = 0;  ///< and with the family's built-in ones
  std::size_t evaluated = 0, failed = 0;
};

/// Searches the Parameters of a routine's kernels for calls of this class and about this size, on a
/// queue's device: in the calling process, for programs that have no other (CLBlast's Tune…
/// functions), with a context, queue and operands of its own. A configuration that crashes the
/// driver takes the process with it, which `kiln tune` and kiln/tune.hpp prevent.
///
/// `fraction`: of the space, how much is measured, chosen by the default strategy; 0 and 1: all.
/// The built-in Parameters are measured first and are never replaced by slower ones. The result
/// goes on record in `keeper`, and so in its store, where later calls find it; `library` forgets
/// what it has prepared. Nothing for a routine without Parameters. Throws Error.
std::optional<Tuned> tune_here(Library& library, Resolver& keeper, const Call& call,
                               cl_command_queue queue, double fraction);

}  // namespace kiln::blas
