#include "tune/worker/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "base/os/process.hpp"

namespace kiln::tune {
namespace {

/// Points this process's standard output at /dev/null, and forgets what a fork has inherited and
/// not written yet: that is the parent's to write.
void discard_output() {
  ::__fpurge(stdout);
  const FileDescriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nothing) ::dup2(nothing.get(), STDOUT_FILENO);
}

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

constexpr std::size_t most_outcome_bytes = 64 << 10;

/// One letter, '+' or '-' (an error), then the text.
std::string outcome_of(const std::function<std::string()>& function) {
  try {
    return "+" + function();
  } catch (const std::exception& error) {
    return std::string("-") + error.what();
  }
}

}  // namespace

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), channel_(std::move(other.channel_)) {}

Child& Child::operator=(Child&& other) noexcept {
  stop();
  pid_ = std::exchange(other.pid_, -1);
  channel_ = std::move(other.channel_);
  return *this;
}

Expected<void> Child::start(const std::function<void(int)>& body) {
  stop();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(Errc::io, fmt::format("no socket: {}", std::strerror(errno)));
  channel_ = FileDescriptor(ends[0]);
  FileDescriptor child_end(ends[1]);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) return fail(Errc::io, fmt::format("no process: {}", std::strerror(errno)));
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

Received receive_all(int from, void* data, std::size_t bytes, Deadline until) {
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

bool send_text(int to, std::string_view text, std::size_t most) {
  const auto length = static_cast<std::uint32_t>(std::min(text.size(), most));
  return send_all(to, &length, sizeof length) && send_all(to, text.data(), length);
}

Received receive_text(int from, std::string& text, std::size_t most, Deadline until) {
  std::uint32_t length = 0;
  const auto received = receive_all(from, &length, sizeof length, until);
  if (received != Received::whole) return received;
  text.resize(std::min<std::size_t>(length, most));
  return receive_all(from, text.data(), text.size(), until);
}

Expected<std::string> in_child(const std::function<std::string()>& function,
                               std::chrono::milliseconds limit) {
  Child child;
  const auto started = child.start(
      [&](int channel) { send_text(channel, outcome_of(function), most_outcome_bytes); });
  if (!started) return tl::unexpected(started.error());
  std::string text;
  const auto until = std::chrono::steady_clock::now() + limit;
  if (receive_text(child.channel(), text, most_outcome_bytes, until) != Received::whole)
    return fail(Errc::device, "the process that queries the device died or did not answer");
  if (text.front() == '-') return fail(Errc::not_found, text.substr(1));
  return text.substr(1);
}

KeptOutput::KeptOutput() : capture_([this](std::string_view more) { add(more); }) {}

void KeptOutput::add(std::string_view more) {
  const std::lock_guard lock(mutex_);
  const std::size_t room = most_kept - std::min(most_kept, taken_.text.size());
  taken_.text.append(more.substr(0, room));
  taken_.bytes += more.size();
}

KeptOutput::Taken KeptOutput::take() {
  capture_.flush();
  const std::lock_guard lock(mutex_);
  return std::exchange(taken_, {});
}

}  // namespace kiln::tune
