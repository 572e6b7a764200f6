#pragma once

// Bindings for C++ that MPI has no more, and that would need a library of their own.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <functional>
#include <memory>

#include "kiln/error.hpp"

/// Meshes in parts over MPI: how a program begins, talks, cuts its mesh, reads and writes it. What
/// leaves a machine goes through MPI, PT-Scotch, METIS and parallel HDF5. Collective functions are
/// called by all ranks, in the same order.
namespace kiln::mpi {

/// Ranks that work together: a duplicate of a communicator of the application, so that no message
/// of Kiln's meets one of its. Errors of MPI are thrown (io), where MPI tells of them. A copy is
/// the same one; the last one frees it, and waits for no other rank. One thread at a time.
class KILN_API Communicator {
 public:
  /// Collective over `comm`. Throws bad_input for MPI_COMM_NULL and where MPI is not initialised.
  explicit Communicator(MPI_Comm comm);

  MPI_Comm handle() const;  ///< not to be freed
  int rank() const;
  int size() const;
  int local_rank() const;  ///< among the ranks of this machine
  int local_size() const;

  /// For Kiln's own sources.
  struct State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// MPI from the beginning to the end of a program:
///
///     int main(int count, char** words) {
///       const kiln::mpi::Environment mpi(count, words);
///       mpi.run([&] { … });
///     }
///
/// Initialises MPI where the application has not, and finalizes it then. Where an exception leaves
/// its scope all ranks are ended, since they would wait for this one.
class KILN_API Environment {
 public:
  /// Works on all ranks. Takes those words that are MPI's.
  Environment(int& count, char**& words);
  /// On the ranks of a communicator of the application, which has initialised MPI.
  explicit Environment(MPI_Comm comm);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();

  const Communicator& comm() const;
  int rank() const { return comm().rank(); }
  int size() const { return comm().size(); }
  int local_rank() const { return comm().local_rank(); }

  /// mpi::run() on its ranks.
  void run(const std::function<void()>& main) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Calls `main`. What it throws ends all ranks: "kiln: rank 2: …" with the error's message goes to
/// standard error, one line a machine though many ranks fail, and all processes end with Kiln's
/// exit code (kiln::exit_code: 2 for bad input, else 1), by MPI_Abort.
KILN_API void run(const Communicator& comm, const std::function<void()>& main);

}  // namespace kiln::mpi
