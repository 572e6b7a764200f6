#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mpi/communicator.hpp"

namespace kiln::mpi {

/// Waits for other ranks, with a limit. Ranks that wait answer others that ask what they wait for.
class Watch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `stall`: 0: no limit.
  Watch(const Communicator& comm, std::chrono::milliseconds stall) : comm_(comm), stall_(stall) {}

  /// Polls `is_done` until it says so. `missing`: the ranks that are waited for, where that is
  /// known. Ends all ranks at the limit.
  void wait(std::string_view what, const std::function<bool()>& is_done,
            const std::function<std::vector<int>()>& missing = {});

  const Communicator& comm() const { return comm_; }
  /// For calls of other libraries, which compute, too. 0: none.
  std::chrono::milliseconds call_limit() const { return calls_take * stall_; }

 private:
  static constexpr int calls_take = 10;  ///< times as long as a wait
  MPI_Comm questions() const;
  void answer(std::string_view what) const;
  [[noreturn]] void stalled(std::string_view what, const std::vector<int>& missing) const;

  Communicator comm_;
  std::chrono::milliseconds stall_;
};

/// A call of a library that waits for other ranks in its own ways (PT-Scotch, parallel HDF5): a
/// thread looks after it while this lives. Where it does not end within `Watch::call_limit()` the
/// thread says so, names ranks of the machine that are stopped, and ends this process, and with it
/// the job: it may not call MPI while the library does. The limit begins anew while a debugger
/// holds a rank of the machine.
class WatchedCall {
 public:
  /// `what`: in words, for messages ("scotch: partitioning cells").
  WatchedCall(const Watch& watch, std::string what);
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
  ~WatchedCall();

 private:
  void look_after();

  Communicator comm_;
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

}  // namespace kiln::mpi
