#pragma once

#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// What no timetable can go below, ns. Transfers are left out, but between the parts of a graph
/// that falls apart in time (cut_bound()). A device's lanes together do as much as its slow-down
/// allows.
struct Bounds {
  double path_ns = 0;   ///< the longest way, each task on its fastest device
  double work_ns = 0;   ///< all work, cut as finely as one likes, over all devices
  double mixed_ns = 0;  ///< both at once; never below either
};
Bounds bounds(const Problem& problem);

}  // namespace kiln::graph
