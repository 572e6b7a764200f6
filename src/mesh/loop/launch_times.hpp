#pragma once

#include <optional>
#include <vector>

#include "kernel/launch.hpp"
#include "mesh/object/recording.hpp"

namespace kiln::mesh {

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
  /// whose times are asked for, or cleared, before its last part.
  void enqueue(Launch& launch, const Queue& queue, Part part);
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
  };
  void collect(std::size_t count);
  std::vector<Run> runs_;    ///< whole ones
  std::optional<Run> open_;  ///< the last part is still to come
  double seconds_ = 0;
  Recording* recording_ = nullptr;
  std::string name_;
};

}  // namespace kiln::mesh
