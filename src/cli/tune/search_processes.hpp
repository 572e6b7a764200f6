#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "cli/tune/scratch_folder.hpp"
#include "cli/tune/subject.hpp"
#include "device/context.hpp"
#include "kernel/resolver.hpp"
#include "tune/worker/compile_pool.hpp"
#include "tune/worker/worker.hpp"

namespace kiln::cli {

class Context;

/// The processes of one search: one that measures, and others that compile what it measures next.
/// They share the candidates' programs through a folder that goes with this object; the user's
/// store gets the records, and in the end the winner's program. The caller's process stays without
/// a driver. One thread; `context` and `subject` must outlive it.
class SearchProcesses {
 public:
  /// `jobs`: processes that compile; 0: by the processors of this machine. `hang_time`: what a
  /// candidate may take. Throws Error (io).
  SearchProcesses(const Context& context, const TuningSubject& subject, std::size_t jobs,
                  std::chrono::milliseconds hang_time);

  tune::Worker& worker() { return worker_; }
  /// Null where nothing is gained by it.
  tune::CompilePool* compilers() { return compilers_ ? &*compilers_ : nullptr; }

  /// Compiles what was found, in a process of its own, into the store, so that the first call which
  /// uses it does not. Throws Error.
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
