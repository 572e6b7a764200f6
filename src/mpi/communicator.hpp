#pragma once

#include <fmt/format.h>

#include <string_view>

#include "kiln/mpi/environment.hpp"
#include "mpi/ending.hpp"

namespace kiln::mpi {

/// Throws Error (io) where a call of MPI failed: "mpi: WHAT: REASON".
void check(int code, std::string_view what);

/// A communicator whose calls return their errors; freed unless MPI has ended.
class OwnComm {
 public:
  OwnComm() = default;
  explicit OwnComm(MPI_Comm comm);
  OwnComm(OwnComm&& other) noexcept;
  OwnComm& operator=(OwnComm&& other) noexcept;
  ~OwnComm();
  MPI_Comm get() const { return comm_; }
  /// It is not freed: other ranks may not come to that.
  void leave() { comm_ = MPI_COMM_NULL; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Its calls of MPI that wait for other ranks end within the limit on waiting (mpi/watch.hpp).
struct Communicator::State {
  explicit State(MPI_Comm of);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// Where an exception passes by nothing is freed, since others are elsewhere.
  ~State();

  OwnComm comm;
  /// For those who ask what others wait for: one for all that waits, whichever Mesh it is for.
  OwnComm questions;
  OwnComm local;  ///< the ranks of this machine
  int local_rank = 0, local_size = 1;
  RanksHere here;
  MPI_Win verdict_memory = MPI_WIN_NULL;

 private:
  void find_local_ranks();
  void share_verdict();
  void free() noexcept;
  int exceptions_;
};

/// Ends all ranks by MPI_Abort. Of the ranks of a machine the first one writes its line to standard
/// error, and its exit code counts.
[[noreturn]] void end_all(const Communicator::State& state, int exit_code, std::string_view line);

}  // namespace kiln::mpi
