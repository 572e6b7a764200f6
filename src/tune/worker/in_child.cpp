#include "tune/worker/in_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file_descriptor.hpp"

namespace kiln::tune {
namespace {

constexpr std::size_t most_bytes = 64 << 10;

/// One letter, '+' or '-' (an error), then the text.
std::string outcome_of(const std::function<std::string()>& function) {
  try {
    return "+" + function();
  } catch (const std::exception& error) {
    return std::string("-") + error.what();
  }
}

}  // namespace

Expected<std::string> in_child(const std::function<std::string()>& function,
                               std::chrono::milliseconds limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return tl::unexpected(Error(Errc::io, fmt::format("no pipe: {}", std::strerror(errno))));
  const FileDescriptor from(ends[0]);
  FileDescriptor to(ends[1]);
  const pid_t child = ::fork();
  if (child < 0)
    return tl::unexpected(Error(Errc::io, fmt::format("no process: {}", std::strerror(errno))));
  if (child == 0) {
    const std::string text = outcome_of(function).substr(0, most_bytes);
    const bool told =
        ::write(to.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(told ? 0 : 1);
  }
  to.reset();
  std::string text;
  const auto until = std::chrono::steady_clock::now() + limit;
  for (bool more = true; more;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd wait{from.get(), POLLIN, 0};
    const int ready =
        left.count() <= 0
            ? 0
            : ::poll(&wait, 1, static_cast<int>(std::min<long>(left.count(), 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    char piece[4096];
    const ssize_t got = ready > 0 ? ::read(from.get(), piece, sizeof piece) : -1;
    if (got > 0) text.append(piece, static_cast<std::size_t>(got));
    more = got > 0;
  }
  // Either it has ended, or it hangs.
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (text.empty())
    return tl::unexpected(Error(Errc::device, "the process that looks at the device died or hung"));
  if (text.front() == '-') return tl::unexpected(Error(Errc::not_found, text.substr(1)));
  return text.substr(1);
}

}  // namespace kiln::tune
