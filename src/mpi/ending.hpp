#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

/// How a rank ends all others: of those on a machine one says why.
namespace kiln::mpi {

/// What a rank knows of those on its machine without asking MPI.
struct RanksHere {
  int rank = 0, all = 1;  ///< its own number, and how many there are on all machines
  /// By local rank, and their ranks among all; none: not known yet.
  std::vector<pid_t> processes;
  std::vector<int> ranks;
  /// Memory of all ranks of this machine: 0 while none has failed, 1 while one says why, then 2 +
  /// its exit code. Null: there is no such memory.
  int* verdict = nullptr;
};

/// Writes a line to standard error, unless another rank of this machine has said why it fails.
/// Gives the exit code that counts: that of the rank which spoke.
int say_end(const RanksHere& here, int exit_code, std::string_view line);

/// Says why, and ends this process, whereupon the launcher ends the others: for where another
/// thread may be in a call of MPI.
[[noreturn]] void end_process(const RanksHere& here, int exit_code, std::string_view line);

/// Whether a debugger holds a rank on this machine; while ranks are not known, a process of the
/// same user and program.
bool debugger_holds(const RanksHere& here);

/// "; rank 1 is stopped": those on this machine that a signal has stopped, as Ctrl-Z does. Empty
/// where there are none. While ranks are not known processes are named.
std::string stopped_text(const RanksHere& here);

/// "rank 3", "ranks 1, 2 and 5", "ranks 0, 1, 2, 3, 4, 5, 6, 7 and 40 others".
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace kiln::mpi
