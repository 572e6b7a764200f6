#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/output_capture.hpp"

namespace kiln::tune {

/// Takes the standard output of this process, from now to its end: kernels print there (PoCL writes
/// what printf of OpenCL C says to it), and nothing of that may get among a command's results. The
/// beginning is kept, the rest counted. For a child process whose output was discarded, once.
class KeptOutput {
 public:
  /// What is kept between two calls of take().
  static constexpr std::size_t most_kept = 1024;

  KeptOutput();

  struct Taken {
    std::string text;         ///< the first most_kept bytes
    std::uint64_t bytes = 0;  ///< all that were written
  };
  /// What was written since the last call. Thread-safe.
  Taken take();

 private:
  void add(std::string_view more);
  std::mutex mutex_;
  Taken taken_;
  OutputCapture capture_;  // last: its thread ends first
};

/// Points this process's standard output at /dev/null, and forgets what a fork has inherited and
/// not written yet: that is the parent's to write.
void discard_output();

}  // namespace kiln::tune
