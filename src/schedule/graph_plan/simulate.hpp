#pragma once

#include <vector>

#include "schedule/graph/problem.hpp"
#include "schedule/graph_steps/steps.hpp"

namespace kiln::graph {

/// What commands cost besides the work of tasks: of one device.
struct CommandCosts {
  double launch_ns = 0;   ///< of the device, for any command
  double enqueue_ns = 0;  ///< of the host
  Link up, down, fill;    ///< transfers and zeros; a copy is worth two fills
};

/// When the tasks of a graph's commands begin and end: the host enqueues one command after the
/// other, a queue works on one at a time, and a command begins when what it waits for has ended,
/// with the problem's hand-over where that was on another device. What planners leave out is here:
/// fills, copies, transfers that hinder one another, and the host. `costs` by device.
Timetable simulated(const Problem& problem, const Steps& steps,
                    const std::vector<CommandCosts>& costs, const Timetable& planned);

}  // namespace kiln::graph
