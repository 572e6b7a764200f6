#include "tune/worker/output_capture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace kiln::tune {

void discard_output() {
  ::__fpurge(stdout);
  const FileDescriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nothing) ::dup2(nothing.get(), STDOUT_FILENO);
}

OutputCapture::OutputCapture() {
  int ends[2], stop[2];
  // Without pipes nothing is captured, and output stays where it leads.
  if (::pipe2(stop, O_CLOEXEC) != 0) return;
  stopped_ = FileDescriptor(stop[0]);
  stop_ = FileDescriptor(stop[1]);
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  from_ = FileDescriptor(ends[0]);
  const FileDescriptor to(ends[1]);
  ::dup2(to.get(), STDOUT_FILENO);
  reader_ = std::thread([this] { read(); });
}

OutputCapture::~OutputCapture() {
  if (!reader_.joinable()) return;
  std::fflush(stdout);
  discard_output();
  // Not by the pipe's end alone: a process that was started meanwhile may have it, too.
  stop_.reset();
  reader_.join();
}

void OutputCapture::read() {
  char some[4096];
  while (true) {
    pollfd watched[2] = {{from_.get(), POLLIN, 0}, {stopped_.get(), POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) return;
    if (watched[0].revents == 0 && watched[1].revents != 0) return;
    if (watched[0].revents == 0) continue;
    const ssize_t got = ::read(from_.get(), some, sizeof some);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    const std::lock_guard lock(mutex_);
    const std::size_t room = most_kept - std::min(most_kept, taken_.text.size());
    taken_.text.append(some, std::min(room, static_cast<std::size_t>(got)));
    taken_.bytes += static_cast<std::uint64_t>(got);
  }
}

OutputCapture::Taken OutputCapture::take() {
  std::fflush(stdout);
  const std::lock_guard lock(mutex_);
  return std::exchange(taken_, {});
}

}  // namespace kiln::tune
