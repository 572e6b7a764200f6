#include "tune/share/messenger.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "tune/share/messenger_child.hpp"

namespace kiln::tune {

Expected<Messenger> Messenger::start(const MakeBoard& make, const Limits& limits) {
  Child child;
  const auto serve = [&](int channel) { serve_board(make, channel, limits); };
  // Of messages, so that neither side can be out of step.
  if (auto started = child.start(serve, Child::Of::messages); !started)
    return tl::unexpected(started.error());
  return Messenger(std::move(child), limits);
}

Expected<std::string> Messenger::ask(Ask what, ConfigurationId id, std::string_view text) {
  const auto gone = [&](const char* how) {
    child_.stop();
    return fail(Errc::device, std::string("the process that talks to them ") + how);
  };
  if (!child_.is_running()) return fail(Errc::device, "the process that talks to them is gone");
  const std::string question = encode_question({what, id, std::string(text)});
  if (::send(child_.channel(), question.data(), question.size(), MSG_NOSIGNAL) < 0)
    return gone("died");
  const auto until = std::chrono::steady_clock::now() + limits_.answer;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return gone("hangs");
    pollfd wait{child_.channel(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return gone("hangs");
    std::string answer(most_message, '\0');
    const ssize_t got = ::recv(child_.channel(), answer.data(), answer.size(), 0);
    if (got <= 0) return gone("died");
    answer.resize(static_cast<std::size_t>(got));
    if (answer.front() == '-') return fail(Errc::io, answer.substr(1));
    return answer.substr(1);
  }
}

}  // namespace kiln::tune
