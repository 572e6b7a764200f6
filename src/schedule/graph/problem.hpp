#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "schedule/graph/task_graph.hpp"

/// What a planner is asked, and what it answers. Plain data. All times are nanoseconds.
namespace kiln::graph {

using Lane = std::uint32_t;

/// A device as planners see it. A lane runs one task at a time: a queue in order.
struct DeviceModel {
  std::string name;
  std::uint32_t memory = 0;  ///< devices with the same number need no transfers among them
  std::uint32_t lanes = 1;
  /// How much longer a task takes at the same time as others: slow_down[k] with k + 1 lanes at
  /// work. Lanes beyond its end are as the last one; empty: 1.
  std::vector<double> slow_down;

  double slow_down_of(std::size_t busy_lanes) const {
    if (slow_down.empty() || busy_lanes == 0) return 1;
    return slow_down[std::min(busy_lanes, slow_down.size()) - 1];
  }
};

/// What bytes need from one memory to another.
struct Link {
  double latency_ns = 0;
  double ns_per_byte = 0;
  double time_ns(double bytes) const { return bytes > 0 ? latency_ns + ns_per_byte * bytes : 0; }
};

inline constexpr double never = std::numeric_limits<double>::infinity();

/// A graph, devices, and what every task takes on each.
struct Problem {
  TaskGraph graph;
  std::vector<DeviceModel> devices;
  /// run_ns[task * devices.size() + device]; `never` where it cannot run. Each task can somewhere.
  std::vector<double> run_ns;
  /// links[from * memories() + to]; the memories' own are not looked at.
  std::vector<Link> links;
  /// What tasks move that no edge says: inputs, which are in the host's memory when a run begins,
  /// and results, which have to be there when it ends.
  struct Moves {
    double inputs_ns = 0;   ///< all that the task reads of inputs: it begins after that
    double results_ns = 0;  ///< all that it makes of results: the run ends after that
    /// What that keeps the ways to and from the device busy. Of an input that several tasks read
    /// only the first one's: a device that runs all of them needs it once.
    double up_ns = 0, down_ns = 0;
  };
  /// moves[task * devices.size() + device]; empty: nothing is moved.
  std::vector<Moves> moves;
  /// From the end of a task on one device to the begin of one on another that waited for it alone.
  double hand_over_ns = 0;

  std::size_t memories() const;
  std::size_t lanes() const;
  double run(Task task, std::size_t device) const { return run_ns[task * devices.size() + device]; }
  Moves moves_of(Task task, std::size_t device) const {
    return moves.empty() ? Moves{} : moves[task * devices.size() + device];
  }
  /// What an edge takes between two devices: that they hand over, and its bytes where they share no
  /// memory; 0 on one device.
  double transfer(double bytes, std::size_t from, std::size_t to) const {
    if (from == to) return 0;
    const auto a = devices[from].memory, b = devices[to].memory;
    return hand_over_ns + (a == b ? 0 : links[a * memories_ + b].time_ns(bytes));
  }
  /// What bytes take as the mean over all pairs of devices that share no memory; 0 where all do.
  double mean_link_time(double bytes) const {
    return bytes > 0 ? mean_latency_ns_ + mean_ns_per_byte_ * bytes : 0;
  }
  /// The same with handing over; 0 where there is one device.
  double mean_transfer(double bytes) const {
    return devices.size() > 1 ? hand_over_ns + mean_link_time(bytes) : 0;
  }

  /// Errors: bad_input where the parts do not fit each other, or where a task has no device. To be
  /// called once all is filled in, before anything else.
  Expected<void> complete();

 private:
  std::size_t memories_ = 0;
  double mean_latency_ns_ = 0, mean_ns_per_byte_ = 0;
};

/// Where and when each task runs.
struct Timetable {
  struct Entry {
    std::uint32_t device = 0;
    Lane lane = 0;  ///< of its device
    double start_ns = 0, end_ns = 0;
  };
  std::vector<Entry> tasks;
  double makespan_ns = 0;

  /// All tasks in the order of their starts: what a host enqueues one after the other. A task
  /// never comes before one that it waits for.
  std::vector<Task> order(const TaskGraph& graph) const;
};

/// Whether a timetable keeps all orders and transfers of a problem, and lanes do one task at a
/// time. The error names the first task that does not fit: for tests, and for plans that were read.
Expected<void> check_timetable(const Problem& problem, const Timetable& timetable);

}  // namespace kiln::graph
