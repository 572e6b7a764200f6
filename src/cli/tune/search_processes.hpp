#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/file.hpp"
#include "cli/tune/subject.hpp"
#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"
#include "tune/worker/compile_pool.hpp"
#include "tune/worker/worker.hpp"

/// What one search has of this machine: its processes and its folder.
namespace kiln::cli {

class Context;

/// The folder of one search, "kiln-tune-" and six letters in the temporary folder, with a "lock"
/// that this process and its children hold for as long as one of them lives. It is removed with
/// this object, or by the next search where all of them were killed.
class ScratchFolder {
 public:
  /// Removes what killed searches of this user left beside it. Errors: io.
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

/// The processes of one search: one that measures, and others that compile what it measures next.
/// They share the candidates' programs through a folder that is removed with this object; the
/// user's store gets the records, and in the end the winner's program. The caller's process loads
/// no driver. One thread; `context` and `subject` must outlive it.
class SearchProcesses {
 public:
  /// `jobs`: processes that compile; 0: by the processors of this machine. `hang_time`: what a
  /// candidate may take. Throws Error (io).
  SearchProcesses(const Context& context, const TuningSubject& subject, std::size_t jobs,
                  std::chrono::milliseconds hang_time);

  tune::Worker& worker() { return worker_; }
  /// Null where compiling ahead would gain nothing.
  tune::CompilePool* compilers() { return compilers_ ? &*compilers_ : nullptr; }

  /// Compiles the winner into the store, in a process of its own, so that the first call which uses
  /// it need not. Throws Error.
  void keep(tune::ConfigurationId winner);

 private:
  /// What a process has of the device: made by it, after the fork.
  struct Opened {
    std::unique_ptr<Resolver> resolver;
    std::optional<Queue> queue;
  };
  enum class Into : bool { scratch, store };
  void open(Into into);

  const Context& context_;
  const TuningSubject& subject_;
  ScratchFolder scratch_;
  Opened opened_;
  tune::Worker worker_;
  std::optional<tune::CompilePool> compilers_;
};

}  // namespace kiln::cli
