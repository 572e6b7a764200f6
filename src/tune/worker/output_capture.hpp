#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "base/file_descriptor.hpp"

namespace kiln::tune {

/// Takes the standard output of this process, from now to its end: kernels print there (PoCL writes
/// what printf of OpenCL C says to it), and nothing of that may get among a command's results. The
/// beginning is kept; a thread reads the rest and forgets it, so that no kernel waits for a reader.
/// For a child process, once.
class OutputCapture {
 public:
  /// What is kept between two calls of take().
  static constexpr std::size_t most_kept = 1024;

  OutputCapture();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;
  ~OutputCapture();

  struct Taken {
    std::string text;         ///< the first most_kept bytes
    std::uint64_t bytes = 0;  ///< all that were written
  };
  /// What was written since the last call, as far as it has arrived. Thread-safe.
  Taken take();

 private:
  void read();
  std::mutex mutex_;
  Taken taken_;
  FileDescriptor from_, stop_, stopped_;  ///< stop_ is closed to end the reader
  std::thread reader_;
};

/// Points this process's standard output at /dev/null, and forgets what a fork has inherited and
/// not written yet: that is the parent's to write.
void discard_output();

}  // namespace kiln::tune
