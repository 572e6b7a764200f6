#pragma once

#include <sys/socket.h>

#include <string_view>
#include <utility>

#include "kiln/error.hpp"
#include "store/redis/deadline.hpp"
#include "store/redis/descriptors.hpp"

namespace kiln::redis {

/// Where a connection leads: of TCP or of this machine.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

/// A connected socket, never blocking beyond a deadline, never a SIGPIPE. One thread at a time.
class Stream {
 public:
  /// `descriptors` has to outlive the stream.
  static Expected<Stream> connect(const Address& address, const Deadline& deadline,
                                  Descriptors& descriptors);

  Stream(Stream&& other) noexcept
      : descriptors_(other.descriptors_), fd_(std::exchange(other.fd_, -1)) {}
  Stream& operator=(Stream&&) = delete;
  ~Stream() {
    if (fd_ >= 0) descriptors_->close(fd_);
  }

  Expected<void> send(std::string_view bytes, const Deadline& deadline);
  /// At least one byte, at most as many as there is room for. Errors: timeout; io at the end.
  Expected<std::size_t> receive(char* into, std::size_t room, const Deadline& deadline);
  /// Nothing has arrived and nobody has hung up: so a connection looks that waits for a command.
  bool quiet() const;

 private:
  Stream(Descriptors& descriptors, int fd) : descriptors_(&descriptors), fd_(fd) {}
  Expected<void> wait(short events, const Deadline& deadline, std::string_view what) const;
  Descriptors* descriptors_;
  int fd_;
};

}  // namespace kiln::redis
