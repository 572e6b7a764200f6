#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "kiln/mpi/environment.hpp"

namespace kiln::mpi {

/// Throws Error (io) where a call of MPI failed: "mpi: WHAT: REASON".
void check(int code, std::string_view what);

/// A duplicate of a communicator whose calls return their errors; freed unless MPI has ended.
class OwnComm {
 public:
  OwnComm() = default;
  explicit OwnComm(MPI_Comm of);
  OwnComm(OwnComm&& other) noexcept;
  OwnComm& operator=(OwnComm&&) = delete;
  ~OwnComm();
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

struct Communicator::State {
  explicit State(MPI_Comm of);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  OwnComm comm;
  /// For those who ask what others wait for: one for all that waits, whichever Mesh it is for.
  OwnComm questions;
  int rank = 0, size = 1;
  MPI_Comm local = MPI_COMM_NULL;  ///< the ranks of this machine
  int local_rank = 0, local_size = 1;
  std::vector<pid_t> local_processes;  ///< by local rank
  std::vector<int> local_ranks;        ///< their ranks among all
  MPI_Win verdict_memory = MPI_WIN_NULL;
  /// Of all ranks of this machine: 0 while none has failed, 1 while one says why, then 2 + its exit
  /// code. Null: there is no such memory.
  int* verdict = nullptr;
};

/// How a rank ends all: by MPI_Abort; or, where another thread may be in a call of MPI, by ending
/// its process, whereupon the launcher ends the others.
enum class Ending { by_mpi, of_process };

/// Ends all ranks. Of the ranks of a machine the first one writes its line to standard error, and
/// its exit code counts.
[[noreturn]] void end_all(const Communicator::State& state, int exit_code, std::string_view line,
                          Ending ending = Ending::by_mpi);

/// Whether a debugger holds this process or another rank's on this machine.
bool debugger_holds(const Communicator::State& state);

/// "rank 3", "ranks 1, 2 and 5", "ranks 0, 1, 2, 3, 4, 5, 6, 7 and 40 others".
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace kiln::mpi
