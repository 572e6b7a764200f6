#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tune/measure/tunable.hpp"
#include "tune/worker/child.hpp"

namespace kiln::tune {

/// Processes that compile configurations ahead of the one that measures: a compile takes far
/// longer than a measurement, and one core. What crashes or hangs a compiler takes only its
/// process. A process that cannot even begin is done without; where none can, nothing is compiled
/// ahead. As Worker: forks, so this process must not use OpenCL nor start threads. One thread at a
/// time.
class CompilePool {
 public:
  /// What a process does first. May return nothing: the Tunable compiles nothing ahead.
  using Open = std::function<Compile()>;
  /// `limit`: what a compile may take, and what the opening of the device may.
  CompilePool(Open open, std::size_t processes, std::chrono::milliseconds limit)
      : open_(std::move(open)), limit_(limit), slots_(processes) {}

  std::size_t size() const { return slots_.size(); }
  /// Compiles one as soon as a process is free.
  void add(ConfigurationId id);
  /// Waits for one that was added.
  void wait(ConfigurationId id);
  /// Waits, too: its failure, or an outcome that is ok. It is forgotten by that.
  Report take(ConfigurationId id);
  /// Waits for all that were added: no process of the pool works then.
  void finish();

 private:
  struct Slot {
    enum class State : std::uint8_t { absent, opening, idle, busy, useless };
    State state = State::absent;
    Child child;
    ConfigurationId id = 0;
    std::chrono::steady_clock::time_point until;
    std::size_t deaths = 0;  ///< one after another, without a compile
  };

  void serve(int channel) const;
  void give_work();
  void start(Slot& slot);
  void stop(Slot& slot, Failure failure, const std::string& message);
  void hear_of(Slot& slot);
  /// Waits until something happened; false where nothing can: no process is at work.
  bool step();

  Open open_;
  std::chrono::milliseconds limit_;
  std::vector<Slot> slots_;
  std::deque<ConfigurationId> waiting_;
  std::unordered_map<ConfigurationId, Report> done_;
};

}  // namespace kiln::tune
