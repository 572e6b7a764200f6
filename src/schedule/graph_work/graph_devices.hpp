#pragma once

#include <string>
#include <vector>

#include "kernel/runtime.hpp"
#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// The devices of a Runtime with queues of a graph's own: some lanes each, which run tasks, and on
/// devices with memory of their own two for transfers, one a direction. All in order. Devices of a
/// platform share a context, so that one's commands can wait for another's events.
class GraphDevices {
 public:
  struct Options {
    std::uint32_t lanes = 1;  ///< of each device with memory of its own; others have one
    /// Devices that work in the host's memory get copies, as if they had memory of their own, and
    /// each device a context of its own, as on platforms that differ: for tests on one processor.
    bool as_if_apart = false;
    bool is_first_apart = false;  ///< the same of the first device alone
    bool as_if_foreign = false;
  };
  /// Throws kiln::Error.
  GraphDevices(const Runtime& runtime, const Options& options);

  struct Queues {
    std::vector<Queue> lanes;
    std::vector<Queue> transfers;  ///< up and down; none where it works in the host's memory
  };
  class Entry {
   public:
    DevicePtr device;
    ContextPtr context;
    std::uint32_t memory = 0;  ///< 0: the host's
    std::uint32_t lanes = 1, directions = 0;

    /// Made when they are first asked for. Queues that take times are slower: runs that want none
    /// have others. One thread at a time.
    const Queues& queues(Queue::Times times) const;

   private:
    mutable Queues timed_, untimed_;
  };
  const std::vector<Entry>& all() const { return entries_; }
  std::size_t memories() const { return memories_; }
  /// Memory of the host for values, which the first device with memory of its own reads and writes
  /// fast. Undefined contents. Throws std::bad_alloc.
  HostArray host_memory(std::size_t bytes) const;
  Resolver& resolver() const { return runtime_.state().resolver(); }
  const Runtime& runtime() const { return runtime_; }

 private:
  Runtime runtime_;
  std::vector<Entry> entries_;
  std::size_t memories_ = 1;
};

/// A queue of a Runtime's first device in the context that its graphs have: for what asks about
/// programs before a graph is planned, so that they are made once.
Queue graph_queue(const Runtime& runtime);

/// The same contents in memory that the Runtime's first device with memory of its own reads fast,
/// where there is one: for what a graph reads in each of its runs. Throws kiln::Error.
HostArray graph_input(const Runtime& runtime, HostArray contents);

}  // namespace kiln::graph
