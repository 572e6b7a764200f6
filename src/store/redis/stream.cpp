#include "store/redis/stream.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cerrno>
#include <system_error>

namespace kiln::redis {
namespace {

tl::unexpected<Error> system_error(std::string_view what, int number) {
  return fail(Errc::io, fmt::format("{}: {}", what, std::generic_category().message(number)));
}

}  // namespace

Expected<Stream> Stream::connect(const Address& address, const Deadline& deadline,
                                 Descriptors& descriptors) {
  const int family = address.bytes.ss_family;
  Stream stream(descriptors, descriptors.open_socket(family));
  const int fd = stream.fd_;
  if (fd < 0) return system_error("connect", errno);
  const int on = 1;
  if (family != AF_UNIX) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto* to = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (::connect(fd, to, address.size) == 0) return stream;
  // A full queue of a local socket says EAGAIN, for which there is nothing to wait on.
  if (errno != EINPROGRESS && errno != EINTR) return system_error("connect", errno);
  if (auto ready = stream.wait(POLLOUT, deadline, "connect"); !ready)
    return tl::unexpected(ready.error());
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return system_error("connect", error);
  return stream;
}

Expected<void> Stream::wait(short events, const Deadline& deadline, std::string_view what) const {
  while (!deadline.over()) {
    const auto look = deadline.next_look().count();
    const timespec time{static_cast<time_t>(look / 1'000'000'000), look % 1'000'000'000};
    pollfd poll{fd_, events, 0};
    const int ready = ::ppoll(&poll, 1, &time, nullptr);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return system_error(what, errno);
  }
  return fail(Errc::timeout, fmt::format("{}: no answer in time", what));
}

Expected<void> Stream::send(std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    if (deadline.over()) return fail(Errc::timeout, "send: no answer in time");
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return system_error("send", errno);
    if (auto ready = wait(POLLOUT, deadline, "send"); !ready) return ready;
  }
  return {};
}

Expected<std::size_t> Stream::receive(char* into, std::size_t room, const Deadline& deadline) {
  for (;;) {
    // Before each read, not only before each wait: a server that sends a byte now and then never
    // makes us wait long.
    if (auto ready = wait(POLLIN, deadline, "reply"); !ready) return tl::unexpected(ready.error());
    const ssize_t got = ::recv(fd_, into, room, 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return fail(Errc::io, "reply: the server has hung up");
    if (errno != EINTR && errno != EAGAIN) return system_error("reply", errno);
  }
}

bool Stream::quiet() const {
  pollfd poll{fd_, POLLIN | POLLRDHUP, 0};
  return fd_ >= 0 && ::poll(&poll, 1, 0) == 0;
}

}  // namespace kiln::redis
