#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "kiln/mesh/distribution.hpp"
#include "kiln/mpi/environment.hpp"

namespace kiln::mpi {

struct TransportOptions {
  /// How long a rank waits for others. Then it says for what and for whom, and ends all ranks. 0:
  /// for ever. None: KILN_MPI_STALL in seconds ("off": for ever), else 60 s.
  ///
  /// The clock begins anew while a debugger holds one of the processes of its machine.
  std::optional<std::chrono::milliseconds> stall = {};
  /// Bytes: larger messages are sent as so many blocks of this size, since MPI counts in int.
  std::size_t largest_count = std::size_t{1} << 30;
  /// So many different exchanges (neighbours, sizes, addresses) are kept ready to be started again.
  std::size_t kept = 64;
};

/// Messages between ranks, each of which has one part of a mesh. Collective. Each Transport has a
/// communicator of its own.
///
/// Exchanges with the same neighbours, sizes and addresses as an earlier one start its persistent
/// requests again. deliver() is the non-blocking consensus of Hoefler, Siebert and Lumsdaine
/// (Scalable communication protocols for dynamic sparse data exchange, PPoPP 2010): nothing of the
/// size of all ranks. What waits lets threads that compute on the same core go first.
///
/// A rank that does not come within TransportOptions::stall ends the job: ranks that wait answer
/// those that ask them what they wait for, so that the line "kiln: rank 0: halo of q before
/// res_calc: …" names the ranks that give no sign of life, or wait for something else.
///
/// Throws Error: io for what MPI reports, internal where a message has another size than expected,
/// bad_input for a KILN_MPI_STALL that is no number of seconds.
KILN_API std::shared_ptr<mesh::Transport> transport(const Communicator& comm,
                                                    const TransportOptions& options = {});

/// The ranks that a Transport made by transport() works on. Throws Error: bad_input for another
/// one.
KILN_API const Communicator& communicator_of(const mesh::Transport& transport);

}  // namespace kiln::mpi
