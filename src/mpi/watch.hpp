#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mpi/communicator.hpp"

namespace kiln::mpi {

/// A call that computes, too, may take so many times as long as a wait.
inline constexpr int calls_take = 10;

/// Waits for other ranks, with a limit. Ranks that wait answer others that ask what they wait for.
class Watch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `stall`: 0: no limit.
  Watch(const Communicator& comm, std::chrono::milliseconds stall)
      : state_(comm.state()), stall_(stall) {}
  /// Does not keep the communicator.
  Watch(Communicator::State& state, std::chrono::milliseconds stall)
      : state_(std::shared_ptr<void>(), &state), stall_(stall) {}

  /// Polls `is_done` until it says so. `missing`: the ranks that are waited for, where that is
  /// known. Ends all ranks at the limit.
  void wait(std::string_view what, const std::function<bool()>& is_done,
            const std::function<std::vector<int>()>& missing = {});
  /// Until a request is done.
  void wait(std::string_view what, MPI_Request request, const std::vector<int>& missing = {});
  /// Waits until all ranks are here, before what cannot be watched.
  void meet(std::string_view what);
  /// A communicator of the same ranks for messages of their own.
  OwnComm duplicate(std::string_view what);

  const Communicator::State& comm() const { return *state_; }
  MPI_Comm handle() const { return state_->comm.get(); }
  int rank() const { return state_->here.rank; }
  int size() const { return state_->here.all; }
  /// For calls of other libraries, which compute, too. 0: none.
  std::chrono::milliseconds call_limit() const { return calls_take * stall_; }

 private:
  MPI_Comm questions() const;
  void answer(std::string_view what) const;
  [[noreturn]] void stalled(std::string_view what, const std::vector<int>& missing) const;

  std::shared_ptr<Communicator::State> state_;
  std::chrono::milliseconds stall_;
};

/// A call that waits for other ranks in its own ways (of PT-Scotch, of parallel HDF5, those of MPI
/// that have no other form): a thread looks after it while this lives. Where it does not end within
/// the limit the thread says so, names ranks of the machine that are stopped, and ends this
/// process, and with it the job: it may not call MPI while the library does. The limit begins anew
/// while a debugger holds a rank of the machine.
class WatchedCall {
 public:
  /// `what`: in words, for messages ("scotch: partitioning cells"). `limit`: 0: none.
  WatchedCall(const RanksHere& here, std::chrono::milliseconds limit, std::string what);
  /// Of a library, which computes, too.
  WatchedCall(const Watch& watch, std::string what);
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
  ~WatchedCall();

 private:
  void look_after();

  RanksHere here_;
  std::chrono::milliseconds limit_;
  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

/// "1.5 s"
std::string seconds_text(std::chrono::milliseconds time);

/// TransportOptions::stall, else KILN_MPI_STALL, else 60 s. Throws bad_input.
std::chrono::milliseconds stall_limit(std::optional<std::chrono::milliseconds> given);
/// The same for those who cannot complain of KILN_MPI_STALL: 60 s where it is no number.
std::chrono::milliseconds usual_stall_limit() noexcept;

/// Waits until all ranks have come to an end of something. What MPI complains of then is not told.
void meet_at_end(Communicator::State& state, std::string_view what) noexcept;

}  // namespace kiln::mpi
