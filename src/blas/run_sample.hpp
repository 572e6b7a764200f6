#pragma once

#include <cstdint>

#include "device/opencl.hpp"
#include "kernel/call_log.hpp"

namespace kiln::blas {

/// The time of some runs of a sequence on the device, where that costs nothing but two events: on a
/// queue that its owner profiles, which keeps the order of its commands. Read when the next run
/// begins: nothing waits for it. One thread at a time.
class RunSample {
 public:
  RunSample() = default;
  RunSample(const RunSample&) = delete;
  RunSample& operator=(const RunSample&) = delete;
  ~RunSample() { forget(); }

  /// A run begins, on this queue alone; null: on several.
  void begin(cl_command_queue queue);
  /// Whether the run's first and last command want an event.
  bool is_wanted() const { return wanted_; }
  /// The two events of the run, which may be one; they are retained.
  void take(cl_event first, cl_event last);
  /// Notes what has been sampled, if that has ended.
  void read(CallCounter& counter);

 private:
  void forget();
  std::uint64_t runs_ = 0;
  bool wanted_ = false;
  cl_event first_ = nullptr, last_ = nullptr;
};

}  // namespace kiln::blas
