#pragma once

#include <fmt/format.h>

#include <string_view>

#include "kiln/mpi/environment.hpp"
#include "mpi/ending.hpp"

namespace kiln::mpi {

/// Throws Error (io) where a call of MPI failed: "mpi: WHAT: REASON".
void check(int code, std::string_view what);

/// A communicator whose calls return their errors; freed unless MPI has ended. Ranks free it when
/// they like: MPI's libraries do so without waiting for others, as the standard expects of them
/// (MPI 4.0, section 7.4.3).
class OwnComm {
 public:
  OwnComm() = default;
  explicit OwnComm(MPI_Comm comm);
  OwnComm(OwnComm&& other) noexcept;
  OwnComm& operator=(OwnComm&& other) noexcept;
  ~OwnComm();
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Its calls of MPI that wait for other ranks end within the limit on waiting (mpi/watch.hpp).
struct Communicator::State {
  explicit State(MPI_Comm of);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// Waits for no other rank, so that one may come to it sooner than others, as Python's garbage
  /// collector does.
  ~State();

  OwnComm comm;
  /// For those who ask what others wait for: one for all that waits, whichever Mesh it is for.
  OwnComm questions;
  OwnComm local;  ///< the ranks of this machine
  int local_rank = 0, local_size = 1;
  RanksHere here;

 private:
  void find_local_ranks();
  void share_verdict();
};

/// Ends all ranks by MPI_Abort. Of the ranks of a machine the first one writes its line to standard
/// error, and its exit code counts.
[[noreturn]] void end_all(const Communicator::State& state, int exit_code, std::string_view line);

}  // namespace kiln::mpi
