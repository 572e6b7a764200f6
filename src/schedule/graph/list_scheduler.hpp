#pragma once

#include <vector>

#include "schedule/graph/free_time.hpp"
#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// Puts tasks on lanes one after the other, each into the first gap that holds it, when the results
/// that it needs can be there. Transfers do not hinder one another here. What most policies share.
class ListScheduler {
 public:
  explicit ListScheduler(const Problem& problem);
  /// As it was when it was made.
  void clear();

  struct Slot {
    Lane lane = 0;
    double start_ns = 0, end_ns = never;
  };
  /// Where on a device the task would end first; end_ns is `never` where it cannot run there. All
  /// its predecessors that were placed are waited for, others are not.
  Slot find(Task task, std::size_t device) const;
  void place(Task task, std::size_t device, const Slot& slot);
  /// The device on which the task ends first; of equal ones the first.
  std::size_t first_to_end(Task task, Slot& slot) const;

  bool is_placed(Task task) const { return placed_[task]; }
  /// What a task takes on a device while all its lanes are at work: what a plan counts with.
  double run(Task task, std::size_t device) const {
    return problem_.run(task, device) * slow_down_[device];
  }
  double ready_ns(Task task, std::size_t device) const;

  /// The lanes' free times, to try something and go back to them.
  struct Mark {
    std::vector<FreeTime> free;
    double makespan_ns;
  };
  Mark mark() const { return {free_, timetable_.makespan_ns}; }
  /// Takes back the tasks that were placed since.
  void go_back(const Mark& mark, std::span<const Task> placed_since);

  Timetable take() { return std::move(timetable_); }
  const Timetable& timetable() const { return timetable_; }

 private:
  const Problem& problem_;
  std::vector<double> slow_down_;          ///< by device
  std::vector<std::uint32_t> first_lane_;  ///< by device; one more at the end
  std::vector<FreeTime> none_taken_;
  std::vector<FreeTime> free_;
  std::vector<char> placed_;
  Timetable timetable_;
};

}  // namespace kiln::graph
