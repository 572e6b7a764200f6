#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/trace.hpp"

namespace kiln::cli {

/// The spans of one lane. Spans of one row do not overlap, and stand in the order of their start;
/// a lane has one row unless commands ran beside one another.
struct Lane {
  std::string name;
  std::vector<std::vector<TraceEvent>> rows;

  /// Nanoseconds during which at least one span was under way.
  std::int64_t busy_ns() const;
};

/// All lanes of a timeline: the host's first (also where nothing happened there), then the device
/// queues, "device 2" before "device 10". Times count from the first span's start, in ns.
struct Lanes {
  std::vector<Lane> lanes;
  std::size_t spans = 0;
  std::int64_t end_ns = 0;  ///< the last span's end
};

/// Sorts spans, in order of their start, into lanes and rows. A span that ends before it starts
/// (clocks that disagree) is shown with no length.
Lanes arrange(std::vector<TraceEvent> events);

}  // namespace kiln::cli
