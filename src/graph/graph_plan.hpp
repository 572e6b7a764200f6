#pragma once

#include <cstring>
#include <map>

#include "kiln/graph.hpp"
#include "schedule/graph_plan/planned_graph.hpp"

namespace kiln {

/// What a plan holds besides what the schedule module does.
struct GraphPlan::State {
  std::vector<std::unique_ptr<HostArray>> inputs;  ///< that the graph reads
  std::unique_ptr<graph::PlannedGraph> planned;    ///< goes before what it reads
  /// Memory of the application, and the inputs that are copies of it.
  std::vector<std::pair<ByteView, HostArray*>> copies;
  void take_copies() {
    for (const auto& [from, to] : copies) std::memcpy(to->data(), from.data(), from.size());
  }
  /// Values that are Arrays of the graph after a run.
  std::vector<std::pair<graph::ValueId, std::shared_ptr<ArrayStorage>>> own_results;
  /// Arrays over memory of the application that has to be current after a run.
  std::vector<std::shared_ptr<ArrayStorage>> host_results;
  std::map<std::pair<std::int64_t, std::uint32_t>, graph::ValueId> results;  ///< of files
};

namespace graph {

/// Throws Error (bad_input) for a policy that is none.
PlanOptions plan_options(const GraphPlanOptions& options);

/// What a timetable of a problem says. `names` by task.
GraphReport report_of(const Problem& problem, const Timetable& timetable,
                      const std::vector<std::string>& names);
/// What other policies promise, and what would help.
void compare_policies(const Problem& problem, GraphReport& report);

}  // namespace graph
}  // namespace kiln
