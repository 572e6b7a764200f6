#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedule/graph/problem.hpp"
#include "schedule/graph_run/graph_devices.hpp"

namespace kiln::graph {

/// What runs have shown of times: of each kind of work on each device, of what a device takes for
/// a launch, and of transfers. Kept in the store by what the speed depends on, so that the next
/// process knows. Robust: one run that was disturbed changes little, since noise only adds to a
/// time. One thread at a time.
class TaskTimes {
 public:
  explicit TaskTimes(Resolver& resolver) : resolver_(resolver) {}

  /// Nanoseconds of one run of such work; nothing where none was measured.
  std::optional<double> of(const Bytes& kind, const Device& device);
  /// Takes in what some runs of it took, in one run of a graph.
  void learn(const Bytes& kind, const Device& device, std::vector<double> ns,
             const std::string& label);

  /// What a launch adds to the time of its kernel where many follow one another.
  double launch_ns(const Device& device);
  void learn_launch(const Device& device, double ns);

  /// Between the host's memory and a device's: measured at the first call.
  struct Links {
    Link up, down;
  };
  Links links(const GraphDevices::Entry& device);

  /// Writes what was learnt to the store.
  void save();

 private:
  struct Known {
    double ns = 0;
    std::uint32_t count = 0;
    bool is_new = false;
    std::string label;
  };
  Known& known(const Bytes& canonical);
  Resolver& resolver_;
  std::map<Bytes, Known> all_;  ///< by canonical bytes; count 0: asked for, and not there
};

}  // namespace kiln::graph
