#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "mpi/watch.hpp"

namespace kiln::mpi {

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

}  // namespace kiln::mpi
