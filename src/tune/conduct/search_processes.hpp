#pragma once

#include <chrono>
#include <optional>

#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"
#include "store/default_store.hpp"
#include "tune/conduct/known_device.hpp"
#include "tune/conduct/scratch_folder.hpp"
#include "tune/worker/compile_pool.hpp"
#include "tune/worker/worker.hpp"

/// What one search has of this machine: its processes and its folder.
namespace kiln::tune {

/// What is searched, on which device, and which store has its candidates' programs and its record.
struct SearchTask {
  std::shared_ptr<const Tunable> tunable;
  KnownDevice device;
  FindDevice find_device;  ///< for the processes that measure and compile
  StoreSettings store;
  CompilePolicy compile = CompilePolicy::apart;
};

/// The processes of one search: one that measures, and others that compile what it measures next.
/// They share the candidates' programs through a folder that is removed with this object; the
/// user's store gets the records, and in the end the winner's program. The caller's process loads
/// no driver, and has no threads. One thread; `task` must outlive it.
class SearchProcesses {
 public:
  /// `jobs`: processes that compile; 0: by the processors of this machine. `hang_time`: what a
  /// candidate may take. Throws Error (io).
  SearchProcesses(const SearchTask& task, std::size_t jobs, std::chrono::milliseconds hang_time);

  Worker& worker() { return worker_; }
  /// Null where compiling ahead would gain nothing.
  CompilePool* compilers() { return compilers_ ? &*compilers_ : nullptr; }

  /// Copies the winner's programs from the search's folder to the store, in a process of its own,
  /// so that the first call which uses them need not compile. What is not there is compiled. Throws
  /// Error.
  void keep(ConfigurationId winner);

 private:
  /// What a process has of the device: made by it, after the fork.
  struct Opened {
    std::unique_ptr<Resolver> resolver;
    std::optional<Queue> queue;
  };
  enum class Into : bool { scratch, store };
  void open(Into into);

  const SearchTask& task_;
  ScratchFolder scratch_;
  Opened opened_;
  Worker worker_;
  std::optional<CompilePool> compilers_;
};

}  // namespace kiln::tune
