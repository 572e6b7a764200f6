#pragma once

#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/os/file.hpp"

namespace kiln {

/// Receives what this process writes to its standard output (descriptor 1), while it lives; then
/// the descriptor leads where it led before. Drivers write there what kernels print. One at a time.
class OutputCapture {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// The sink is called from a thread of its own and from within flush(), never twice at once.
  /// Where descriptor 1 is closed, or the system gives no pipe, nothing is captured and the output
  /// stays where it leads.
  explicit OutputCapture(Sink sink);
  ~OutputCapture();
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;

  /// When it returns, the sink has all that was written before the call.
  void flush();

 private:
  void read_until_stopped();
  void read_what_is_there();

  Sink sink_;
  FileDescriptor before_, from_, stop_;  ///< before_: what descriptor 1 was; stop_ ends the reader
  std::mutex mutex_;
  std::thread reader_;
};

}  // namespace kiln
