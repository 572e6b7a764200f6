#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/os/file.hpp"
#include "device/context.hpp"
#include "device/device.hpp"
#include "kernel/calls/recorded_call.hpp"
#include "kernel/resolver/resolver.hpp"
#include "store/default_store.hpp"
#include "tune/records/kept_run.hpp"
#include "tune/worker/compile_pool.hpp"
#include "tune/worker/worker.hpp"

/// What one search has of this machine: its device, its processes and its folder.
namespace kiln::tune {

// ---- What must be known of the device. It is asked in a child process: the one that forks those
// that measure stays free of drivers and threads.

/// Gives the device, in a process that may load drivers. Throws Error where it is absent.
using FindDevice = std::function<DevicePtr()>;

/// What is known of a device without loading its driver.
struct KnownDevice {
  std::string name, speed_identity;
  bool is_cpu = false;
  bool doubles = false;  ///< computes in double precision
  RecordedDevice recorded;
  DeviceFacts nearness;  ///< for telling which searches on record are near
  std::string more;      ///< what the caller asked of it
};

/// Asks in a child process; `more` says there what else is to be known. Throws Error (not_found,
/// with what find_device threw).
KnownDevice look_at_device(const FindDevice& find_device,
                           const std::function<std::string(const Device&)>& more = {});

// ---- The folder that the processes share

/// The folder of one search, "kiln-tune-" and six letters in the temporary folder, with a "lock"
/// that this process and its children hold for as long as one of them lives. It is removed with
/// this object, or by the next search where all of them were killed.
class ScratchFolder {
 public:
  /// Removes what killed searches of this user left next to it. Errors: io.
  static Expected<ScratchFolder> create();

  /// Where the search's own files belong.
  std::filesystem::path path() const { return folder_.path() / "programs"; }

 private:
  ScratchFolder(FileDescriptor lock, TemporaryFolder folder)
      : lock_(std::move(lock)), folder_(std::move(folder)) {}
  FileDescriptor lock_;  // released when the folder is gone
  TemporaryFolder folder_;
};

/// Removes the folders of searches in `parent` that are this user's and that no process holds; all
/// else, and what cannot be removed, stays. Links are not followed.
void remove_left_scratch(const std::filesystem::path& parent);

// ---- The processes

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
