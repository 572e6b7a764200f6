#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "device/opencl.hpp"

namespace kiln {

/// Commands of one queue, with the device's own times put on the host's clock (ClockDistance).
class QueueTimeline {
 public:
  explicit QueueTimeline(std::string lane) : lane_(std::move(lane)) {}

  /// Remembers a command that is being enqueued. `enqueued_ns` is now_ns() just before the call.
  void add(std::string name, std::string category, cl::Event event, std::int64_t enqueued_ns);

  struct Span {
    std::string name, category;
    std::int64_t start_ns, end_ns;
  };
  /// Start and end of every command, on the host's clock; the commands must have completed.
  std::vector<Span> spans() const;
  /// Sum of the durations of one category, ns.
  std::int64_t total_ns(std::string_view category) const;
  void send(TraceSink& sink) const;
  void clear() { commands_.clear(); }
  /// Waits until every command has ended, well or badly, for devices that cannot be waited for any
  /// more; at most `limit`.
  void settle(std::chrono::milliseconds limit) const;

 private:
  struct Command {
    std::string name, category;
    cl::Event event;
    std::int64_t enqueued_ns;
  };
  std::string lane_;
  std::vector<Command> commands_;
};

}  // namespace kiln
