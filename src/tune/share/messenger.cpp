#include "tune/share/messenger.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tune/share/messenger_child.hpp"

namespace kiln::tune {

Expected<Messenger> Messenger::start(const MakeBoard& make, const Limits& limits) {
  int ends[2];
  // Of messages, so that neither side can be out of step.
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(Errc::io, std::string("no socket: ") + std::strerror(errno));
  FileDescriptor channel(ends[0]), child_end(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail(Errc::io, std::string("no process: ") + std::strerror(errno));
  if (child == 0) {
    // Ctrl-C is for the parent.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    channel.reset();
    serve_board(make, child_end.get(), limits);
    ::_exit(0);
  }
  return Messenger(std::move(channel), child, limits);
}

Messenger::Messenger(Messenger&& other) noexcept
    : channel_(std::move(other.channel_)),
      child_(std::exchange(other.child_, -1)),
      limits_(other.limits_) {}

Messenger::~Messenger() { stop(); }

void Messenger::stop() {
  if (child_ < 0) return;
  channel_.reset();
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
}

Expected<std::string> Messenger::ask(Ask what, ConfigurationId id, std::string_view text) {
  const auto gone = [&](const char* how) {
    stop();
    return fail(Errc::device, std::string("the process that talks to them ") + how);
  };
  if (child_ < 0) return fail(Errc::device, "the process that talks to them is gone");
  const std::string question = encode_question({what, id, std::string(text)});
  if (::send(channel_.get(), question.data(), question.size(), MSG_NOSIGNAL) < 0)
    return gone("died");
  const auto until = std::chrono::steady_clock::now() + limits_.answer;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return gone("hangs");
    pollfd wait{channel_.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return gone("hangs");
    std::string answer(most_message, '\0');
    const ssize_t got = ::recv(channel_.get(), answer.data(), answer.size(), 0);
    if (got <= 0) return gone("died");
    answer.resize(static_cast<std::size_t>(got));
    if (answer.front() == '-') return fail(Errc::io, answer.substr(1));
    return answer.substr(1);
  }
}

}  // namespace kiln::tune
