#pragma once

#include <algorithm>
#include <vector>

#include "schedule/graph/problem.hpp"

namespace kiln::graph {

/// When a lane has nothing to do. Starts free for ever. For schedulers that put tasks into gaps.
class FreeTime {
 public:
  /// Gaps below `shortest` are forgotten: no task is so short.
  explicit FreeTime(double shortest = 0) : shortest_(shortest) {}

  /// The first moment from `ready` on at which `length` is free.
  double earliest(double ready, double length) const {
    const auto* gap = gaps_.data() + first_after(ready);
    while (std::max(gap->begin, ready) + length > gap->end) ++gap;  // the last one has no end
    return std::max(gap->begin, ready);
  }

  /// Takes what earliest() gave. What takes no time divides a gap all the same: tasks of a lane are
  /// one after the other.
  void take(double start, double length) {
    const std::size_t index = first_holding(start, start + length);
    const Gap gap = gaps_[index];
    const Gap before{gap.begin, start}, behind{start + length, gap.end};
    const bool keeps_before = keeps(before), keeps_behind = keeps(behind);
    const auto at = gaps_.begin() + static_cast<std::ptrdiff_t>(index);
    if (keeps_before && keeps_behind) {
      *at = behind;
      gaps_.insert(at, before);
    } else if (keeps_before || keeps_behind) {
      *at = keeps_before ? before : behind;
    } else {
      gaps_.erase(at);
    }
  }

 private:
  struct Gap {
    double begin, end;
  };
  bool keeps(const Gap& gap) const {
    return gap.end > gap.begin && gap.end - gap.begin >= shortest_;
  }
  /// The first gap that ends after a moment.
  std::size_t first_after(double moment) const {
    // Most searches are for the end of what is planned.
    if (gaps_.size() == 1 || gaps_[gaps_.size() - 2].end <= moment) return gaps_.size() - 1;
    const auto gap = std::upper_bound(gaps_.begin(), gaps_.end(), moment,
                                      [](double m, const Gap& g) { return m < g.end; });
    return static_cast<std::size_t>(gap - gaps_.begin());
  }
  std::size_t first_holding(double start, double end) const {
    std::size_t index = first_after(start);
    while (gaps_[index].begin > start || gaps_[index].end < end) ++index;
    return index;
  }

  double shortest_;
  std::vector<Gap> gaps_{{0, never}};
};

}  // namespace kiln::graph
