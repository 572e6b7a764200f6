#include "base/os/output_capture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace kiln {

OutputCapture::OutputCapture(Sink sink) : sink_(std::move(sink)) {
  std::fflush(stdout);
  before_ = FileDescriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  int ends[2];
  if (!before_ || ::pipe2(ends, O_CLOEXEC) != 0) return;
  from_ = FileDescriptor(ends[0]);
  const FileDescriptor into(ends[1]);
  // Not by the pipe's end alone: a process that was started meanwhile may have it, too.
  stop_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
  if (!stop_ || ::fcntl(from_.get(), F_SETFL, O_NONBLOCK) != 0) return;
  reader_ = std::thread([this] { read_until_stopped(); });
  ::dup2(into.get(), STDOUT_FILENO);
}

OutputCapture::~OutputCapture() {
  if (!reader_.joinable()) return;
  std::fflush(stdout);
  ::dup2(before_.get(), STDOUT_FILENO);
  const std::uint64_t end = 1;
  while (::write(stop_.get(), &end, sizeof end) < 0 && errno == EINTR) {
  }
  reader_.join();
  read_what_is_there();
}

void OutputCapture::flush() {
  // Some drivers print through the C library, which keeps it back where it goes into a pipe.
  std::fflush(stdout);
  if (reader_.joinable()) read_what_is_there();
}

void OutputCapture::read_until_stopped() {
  for (;;) {
    std::array<pollfd, 2> wait{{{from_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
    if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return;
    if (wait[1].revents != 0) return;
    if (wait[0].revents != 0) read_what_is_there();
  }
}

void OutputCapture::read_what_is_there() {
  const std::lock_guard lock(mutex_);
  std::array<char, 16u << 10> bytes;
  for (;;) {
    const ssize_t got = ::read(from_.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    sink_({bytes.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace kiln
