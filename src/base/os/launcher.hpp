#pragma once

#include <cstddef>
#include <string_view>

/// Launchers of MPI programs (mpirun, srun), as the processes see them that they start. They tell
/// in the environment, so that no MPI is needed.
namespace kiln {

/// Whether a launcher started this process, if only as one of one.
bool is_launched();

/// How many ranks there are; 1: no launcher. (PMIx tells no number: it counts as several.)
std::size_t ranks_of_launcher();

/// This process' number among them; 0: no launcher.
std::size_t rank_of_launcher();

/// Whether an entry of the environment ("NAME=VALUE") is one by which launchers tell processes
/// apart or describe the job to them.
bool is_of_launcher(std::string_view entry);

/// Whether this process is the first one of its job on this machine that asks this of `word`. From
/// then on it is, until it ends. For what ranks would say as often as they are, and is to be said
/// once. True where the system does not tell. Thread-safe.
///
/// By the name of a socket (unix(7), abstract), which the system gives to one process and takes
/// back at its end.
bool is_first_of_job(std::string_view word);

}  // namespace kiln
