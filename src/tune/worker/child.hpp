#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/os/file.hpp"
#include "base/os/output_capture.hpp"
#include "kiln/error.hpp"

/// Processes forked from this one for what may crash, hang or load a driver: how they are started,
/// what is sent over their sockets, and what becomes of their standard output.
namespace kiln::tune {

/// A fork of this process with a socket between the two: for what may crash or hang. This process
/// must not have used OpenCL nor started threads by then. Ends with its owner. One thread.
class Child {
 public:
  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child() { stop(); }

  /// Starts one that calls `body` with its end of the socket, and is gone when that returns:
  /// without destructors, since what this process has open is its own to close, and what a driver
  /// does on its way out is not worth waiting for. A process group of its own: Ctrl-C is for this
  /// process, which ends the child in good order. Its standard output leads nowhere: what drivers
  /// and kernels print there is no result of this process. Errors: io.
  Expected<void> start(const std::function<void(int channel)>& body);
  bool is_running() const { return pid_ >= 0; }
  /// This process's end of the socket.
  int channel() const { return channel_.get(); }
  /// Ends it; says how it ended where it had ended by itself: " (SIGSEGV)".
  std::string stop();

 private:
  pid_t pid_ = -1;
  FileDescriptor channel_;
};

/// Sends all of the bytes, without a signal where the other end is gone: false then.
bool send_all(int to, const void* data, std::size_t bytes);

enum class Received : std::uint8_t { whole, ended, late };
using Deadline = std::chrono::steady_clock::time_point;
/// Reads so many bytes, until `until`.
Received receive_all(int from, void* data, std::size_t bytes, Deadline until = Deadline::max());

/// The same of a text, with its length before it. What is longer than `most`, which both ends agree
/// on, is cut.
bool send_text(int to, std::string_view text, std::size_t most);
Received receive_text(int from, std::string& text, std::size_t most,
                      Deadline until = Deadline::max());

/// What a function returns in a child process, a fork of this one: for what must not be loaded
/// here, as a driver before other children are forked. At most 64 KiB. Errors: what the function
/// threw, with its message; a child that died or did not end within the limit.
Expected<std::string> in_child(const std::function<std::string()>& function,
                               std::chrono::milliseconds limit);

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

}  // namespace kiln::tune
