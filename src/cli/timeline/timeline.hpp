#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "cli/command/context.hpp"
#include "kernel/resolver/explain.hpp"

/// The timeline of a command's runs: spans as they are collected, spread over lanes, and the files
/// of --trace and --gantt.
namespace kiln::cli {

/// Collects the spans of a command's runs, for --trace and --gantt. Thread-safe.
class Timeline : public TraceSink {
 public:
  void add(TraceEvent event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  /// Look-ups and compiles of an explanation become spans of the host's lane.
  void add(const Explanation& explanation);
  /// A moment that charts show as a line, so many nanoseconds after the first span's start.
  struct Mark {
    std::string name;
    std::int64_t ns = 0;
  };
  void mark(Mark mark) {
    const std::lock_guard lock(mutex_);
    marks_.push_back(std::move(mark));
  }
  /// All spans in the order of their start. Not at the same time as add().
  std::vector<TraceEvent> sorted() const;
  const std::vector<Mark>& marks() const { return marks_; }

 private:
  mutable std::mutex mutex_;
  std::vector<TraceEvent> events_;
  std::vector<Mark> marks_;
};

/// The spans of one lane. Spans of one row do not overlap, and stand in the order of their start;
/// a lane has one row unless commands ran at the same time.
struct Lane {
  std::string name;
  std::vector<std::vector<TraceEvent>> rows;
};

/// All lanes of a timeline: the host's first (also where nothing happened there), then the device
/// queues, "device 2" before "device 10"; of several ranks "rank 0: device …", "rank 0: host",
/// "rank 0: messages", and so on. Times count from the first span's start, in ns.
struct Lanes {
  std::vector<Lane> lanes;
  std::size_t spans = 0;
  std::int64_t end_ns = 0;  ///< the last span's end
};

/// Sorts spans, in order of their start, into lanes and rows. A span that ends before it starts
/// (clocks that disagree) is shown with no length.
Lanes arrange(std::vector<TraceEvent> events);

// Files of a timeline. Both are written aside and renamed, so that a reader never meets half a
// file; both throw kiln::Error where the file cannot be written. Not at the same time as
// Timeline::add().

/// Chrome trace JSON for Perfetto: one lane for the host and one a device queue (two where spans
/// overlap), complete events in microseconds since the first one, the details as arguments; flow
/// events from what a span waited for, instant events for marks.
void write_trace(const Timeline& timeline, const std::string& file);

/// A self-contained HTML page with the same spans drawn over a time axis, arrows from what they
/// waited for, lines at the marks, and the totals of each lane and category. Nothing is fetched
/// from anywhere.
void write_gantt(const Timeline& timeline, const std::string& file);

/// The files that --trace and --gantt name.
void write_timeline(const Context& context, const Timeline& timeline);

}  // namespace kiln::cli
