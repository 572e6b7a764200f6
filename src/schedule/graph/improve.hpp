#pragma once

#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// How much a search may do. One evaluation places all tasks once.
struct SearchEffort {
  std::size_t evaluations = 0;
  /// About a quarter of a second, and never less than 60 evaluations.
  static SearchEffort usual(std::size_t tasks);
};

/// A timetable at least as good: tasks of its critical way change their device or come earlier,
/// and whole timetables are pushed together from their end and from their begin. Deterministic.
Timetable improve(const Problem& problem, const Timetable& start, SearchEffort effort);

/// The best of the policies, improved. For graphs of up to 9 tasks on two devices all assignments
/// are looked at.
Timetable best_timetable(const Problem& problem, SearchEffort effort);

}  // namespace kiln::graph
