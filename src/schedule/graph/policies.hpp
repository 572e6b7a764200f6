#pragma once

#include <string>
#include <vector>

#include "schedule/graph/ranks.hpp"

/// Policies: each makes a Timetable of a Problem. Pure, deterministic functions.
namespace kiln::graph {

/// Heterogeneous earliest finish time: tasks in falling upward rank, each where it ends first.
/// Topcuoglu, Hariri and Wu (2002). Time O(edges x lanes), and what searches for gaps take.
Timetable heft(const Problem& problem, RankBy by = RankBy::mean);

/// Predict earliest finish time: of the ready tasks that with the highest mean of its optimistic
/// costs, where its end and what must follow is least. Arabnejad and Barbosa (2014).
Timetable peft(const Problem& problem);

/// HEFT that looks one step ahead: a task goes where the last of its successors could end first.
/// Bittencourt, Sakellariou and Madeira, "DAG scheduling using a lookahead variant of the
/// heterogeneous earliest finish time algorithm" (2010).
Timetable lookahead(const Problem& problem);

/// Tasks with the same number go to one device together: to the one where all of them, put after
/// what it has to do already, end first. `cluster_of` has a number for each task, below its size.
Timetable clusters(const Problem& problem, const std::vector<std::uint32_t>& cluster_of);
/// Clusters where the graph's owner gives none: ways along the edges that are dearest to cut.
std::vector<std::uint32_t> linear_clusters(const Problem& problem);

/// Whenever a lane is free, it takes the ready task of the highest rank; a free lane of the first
/// device before those of the others.
Timetable eager(const Problem& problem);

/// All tasks that can on one device, the others where they end first; in falling rank.
Timetable one_device(const Problem& problem, std::size_t device);

/// Tasks on devices that are given, in falling rank.
Timetable on_devices(const Problem& problem, const std::vector<std::uint32_t>& device_of);

}  // namespace kiln::graph
