#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "store/layer/fork_guard.hpp"
#include "store/layer/layer.hpp"

namespace kiln {

/// Writes to a store in a thread of its own, so that callers do not wait for it: in the order of
/// the calls, one at a time. Bounded: a caller that has more to write waits for room. What was
/// added is written before the process ends by exit() or the end of main(), or unloads the library
/// whose code added it, even where the queue's owner is never destroyed; a process that is killed,
/// or ends by _exit(), loses what was not written yet. A fork()'s child begins with an empty queue:
/// what waits is the parent's to write. Thread-safe.
class WriteQueue final : private ForkGuarded {
 public:
  struct Limits {
    // Of a mesh application's plans each is some tens of megabytes, and lives on while it waits.
    std::size_t entries = 256, bytes = 256 << 20;
  };
  struct Item {
    Kind kind{};
    Key key;
    std::size_t bytes = 0;        ///< of memory that lives on because of it
    std::function<void()> write;  ///< reports its failures itself; what it throws is lost
  };

  WriteQueue() : WriteQueue(Limits{}) {}
  explicit WriteQueue(Limits limits);
  /// Writes what is left.
  ~WriteQueue() override;

  /// Where there can be no thread, or the process is about to end, it is written at once.
  void add(Item item);
  /// For what may be lost: no caller waits, and the end of the process does not either where the
  /// queue's owner is not destroyed before. False, and counted, where there is no room or no
  /// thread.
  bool add_if_room(Item item);
  /// How many there was no room for.
  std::size_t refused() const;
  /// Returns when what was added for a place has been written, so that a reader finds it.
  void wait_for(Kind kind, const Key& key);
  /// Returns when all has been written, and ends the thread. The next add() starts another.
  void finish();

  struct State;

 private:
  void before_fork() override;
  void after_fork() override;
  /// Shared with the code that finishes it at the end of the process.
  std::shared_ptr<State> state_;
};

}  // namespace kiln
