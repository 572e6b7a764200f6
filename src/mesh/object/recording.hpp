#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/explain.hpp"
#include "kiln/mesh/mesh.hpp"

namespace kiln::mesh {

/// What ran when on a Session's queue, and how programs and plans were found, for
/// Mesh::timeline(). One thread.
class Recording {
 public:
  /// Stamps are the device's, ns; `enqueued_ns` is now_ns() just before its first enqueue.
  struct Run {
    std::string name;
    std::int64_t enqueued_ns = 0, queued = 0, start = 0, end = 0;
  };
  void add(Run run) { runs_.push_back(std::move(run)); }
  void add(const Explanation& explanation);
  /// In the order of their start, on the host's clock.
  std::vector<TimelineSpan> spans(const std::string& lane) const;

 private:
  std::vector<Run> runs_;
  std::vector<TimelineSpan> host_;
};

}  // namespace kiln::mesh
