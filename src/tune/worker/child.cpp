#include "tune/worker/child.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/process.hpp"
#include "tune/worker/kept_output.hpp"

namespace kiln::tune {

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), channel_(std::move(other.channel_)) {}

Child& Child::operator=(Child&& other) noexcept {
  stop();
  pid_ = std::exchange(other.pid_, -1);
  channel_ = std::move(other.channel_);
  return *this;
}

Expected<void> Child::start(const std::function<void(int)>& body, Of of) {
  stop();
  int ends[2];
  const int type = of == Of::bytes ? SOCK_STREAM : SOCK_SEQPACKET;
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
    return tl::unexpected(Error(Errc::io, fmt::format("no socket: {}", std::strerror(errno))));
  channel_ = FileDescriptor(ends[0]);
  FileDescriptor child_end(ends[1]);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0)
    return tl::unexpected(Error(Errc::io, fmt::format("no process: {}", std::strerror(errno))));
  if (pid_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    channel_.reset();
    discard_output();
    body(child_end.get());
    ::_exit(0);
  }
  return {};
}

namespace {

/// Whether the other end is closed: its process has ended, or is about to.
bool is_closed(int channel) {
  char byte;
  return ::recv(channel, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/// Waits for the end of a process that is ending, so that its status is its own and not that of
/// being killed: a socket closes a moment before.
void wait_for_end(pid_t pid) {
  constexpr int milliseconds = 1000;
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd wait{process.get(), POLLIN, 0};
  if (process) ::poll(&wait, 1, milliseconds);
}

}  // namespace

std::string Child::stop() {
  if (pid_ < 0) return "";
  if (is_closed(channel_.get())) wait_for_end(pid_);
  channel_.reset();
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    // Killed here, or by a signal of its own just before.
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) status = 0;
  }
  pid_ = -1;
  return WIFSIGNALED(status) ? " (" + signal_name(WTERMSIG(status)) + ")" : "";
}

bool send_all(int to, const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::send(to, at, bytes, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

Received receive_all(int from, void* data, std::size_t bytes,
                     std::chrono::steady_clock::time_point until) {
  using Milliseconds = std::chrono::milliseconds;
  auto* at = static_cast<char*>(data);
  while (bytes > 0) {
    const auto left = std::chrono::ceil<Milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Received::late;
    pollfd wait{from, POLLIN, 0};
    const int ready = ::poll(&wait, 1,
                             static_cast<int>(std::min<Milliseconds::rep>(
                                 left.count(), std::numeric_limits<int>::max())));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Received::late;
    const ssize_t got = ready < 0 ? -1 : ::read(from, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Received::ended;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return Received::whole;
}

}  // namespace kiln::tune
