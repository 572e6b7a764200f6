#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedule/graph/problem.hpp"
#include "schedule/graph_work/graph_devices.hpp"

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

  /// How much longer such work takes where two lanes of the device do it at the same time.
  std::optional<double> slow_down(const Bytes& kind, const Device& device);
  void learn_slow_down(const Bytes& kind, const Device& device, double factor);

  /// What a command costs where many follow one another: the device besides its work, and the host
  /// that enqueues it.
  struct CommandTimes {
    double launch_ns = 0, enqueue_ns = 0;
  };
  /// Of a certain graph on a device, as its runs have shown. Drivers need longer after long kernels
  /// than after short ones, so that no number holds for all graphs.
  std::optional<CommandTimes> command_times(const Bytes& graph, const Device& device);
  void learn(const Bytes& graph, const Device& device, const CommandTimes& times);
  /// Of short commands, for graphs that have not shown it: measured at the first call.
  CommandTimes command_times(const GraphDevices::Entry& device);

  /// Between the host's memory and a device's, and zeros for the device's memory: measured at the
  /// first call.
  struct Links {
    Link up, down, fill;
  };
  Links links(const GraphDevices::Entry& device);

  /// How much later a command begins that waits for one of another device instead of its own queue:
  /// of the first two devices, measured at the first call; 0 where there is one.
  double hand_over_ns(const GraphDevices& devices);

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
