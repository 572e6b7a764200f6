#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/program/launch.hpp"
#include "kernel/resolver/explain.hpp"
#include "kernel/resolver/resolver.hpp"
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
  /// What is no kernel.
  void add(TimelineSpan span) { host_.push_back(std::move(span)); }
  /// In the order of their start, on the host's clock.
  std::vector<TimelineSpan> spans(const std::string& lane) const;

 private:
  std::vector<Run> runs_;
  std::vector<TimelineSpan> host_;
};

/// The device's times of runs, each of one launch or several: from the start of the first to the
/// end of the last. One thread.
class LaunchTimes {
 public:
  enum class Part : std::uint8_t { only, first, middle, last };

  /// Runs are told to this, too, under a name; it must outlive them.
  void record(Recording* recording, std::string name) {
    recording_ = recording;
    name_ = std::move(name);
  }
  /// Enqueues a part of a run. A run whose last part never came counts for nothing; nor does one
  /// whose times are asked for, or cleared, before its last part. `half`: " (core)" or " (rest)",
  /// where an exchange of halos is between two runs that are one to the caller.
  void enqueue(Launch& launch, const Queue& queue, Part part, const char* half = "");
  /// Which part of `count` launches one is.
  static Part part(std::size_t i, std::size_t count) {
    if (count == 1) return Part::only;
    return i == 0 ? Part::first : i + 1 == count ? Part::last : Part::middle;
  }

  /// Of all runs; waits for them.
  double seconds();
  /// Forgets them.
  void clear();

 private:
  struct Run {
    cl::Event first, last;
    std::int64_t enqueued_ns = 0;
    const char* half = "";
  };
  void collect(std::size_t count);
  std::vector<Run> runs_;    ///< whole ones
  std::optional<Run> open_;  ///< the last part is still to come
  double seconds_ = 0;
  Recording* recording_ = nullptr;
  std::string name_;
};

/// Bytes a second of copying large arrays on a queue's device, bytes read and bytes written
/// counted: the middle of several runs of a kernel that does nothing else, which no loop exceeds
/// for long. `array`: bytes of each array; 0: far more than any cache holds. Throws kiln::Error.
double measure_copy_bandwidth(Resolver& resolver, const Queue& queue, std::size_t array = 0);

}  // namespace kiln::mesh
