#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedule/graph_findings/kernel_parts.hpp"
#include "schedule/graph_run/executable.hpp"

namespace kiln::graph {

/// Shows in runs of a graph whether parts of its tasks do what the tasks do: over the task's own
/// data, in both orders, on each kind of device that parts will run on. What was shown is kept in
/// the store. To be kept as long as the Executables of those runs. One thread at a time.
class PartTrials {
 public:
  explicit PartTrials(Resolver& resolver) : resolver_(resolver) {}

  /// Parts that are to be looked at; `devices`: by the graph's devices, those that take part; null:
  /// it does not. Result: their number.
  std::size_t add(WorkPtr whole, KernelParts parts, const std::vector<const Device*>& devices);

  /// Whether a run with all tasks on this device would show something new.
  bool lack(std::uint32_t device) const;
  /// Of RunOrder::before_task and after_task. A device that has no memory for a look has shown that
  /// the parts do not do the same. Throw Error.
  void before(const TaskRun& run);
  void after(const TaskRun& run);

  /// The parts, where they do the same; nothing where they do not, or where that was not shown.
  std::optional<KernelParts> shown(std::size_t number) const;
  /// Writes to the store what was shown since.
  void save();
  /// How many looks there were.
  int looks() const { return looks_; }

 private:
  struct Candidate {
    WorkPtr whole;
    KernelParts parts;
    Bytes identity;
    std::vector<std::string> kinds;  ///< by device, what kind it is; empty: it does not take part
    std::vector<std::string> seen;   ///< kinds on which it was looked at
    bool is_known = false;           ///< from the store
    bool is_for_good = true;         ///< other data would show the same
    bool are_alike = true, are_in_pieces = true;  ///< on all of them
    bool is_shown() const;
  };
  struct Contents {
    std::vector<Bytes> by_use;  ///< of what is written; else empty
  };
  bool is_wanted(const Candidate& candidate, std::uint32_t device) const;
  void look(Candidate& candidate, const TaskRun& run);

  Resolver& resolver_;
  std::vector<Candidate> candidates_;
  std::map<const Work*, Contents> initial_;  ///< of the task that is running
  int looks_ = 0;
};

}  // namespace kiln::graph
