#pragma once

#include <vector>

#include "schedule/graph/problem.hpp"
#include "schedule/graph_work/graph_devices.hpp"
#include "schedule/graph_work/work_graph.hpp"

namespace kiln::graph {

/// By memory, the most bytes of a graph's values that are live at a time, by a timetable's times:
/// from the begin of the first task to the end of the last one that has to do with them there. The
/// host's memory counts nothing.
std::vector<std::size_t> most_live_bytes(const WorkGraph& work, const Timetable& timetable,
                                         const GraphDevices& devices);

}  // namespace kiln::graph
