#pragma once

#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "kiln/error.hpp"
#include "store/layer/shared_layer.hpp"

// A connection to a Redis server: the moment by which something must be done, sockets, the
// protocol, and the connection itself.
namespace kiln::redis {

/// The moment by which something has to be done, whatever the number of its steps. It may be
/// brought forward from another thread while somebody waits (see capped_by).
class Deadline {
 public:
  explicit Deadline(std::chrono::nanoseconds from_now) : end_ns_(now_ns() + from_now.count()) {}

  /// The same, but not later than `end_ns` says at each look. Waits look again every slice().
  Deadline capped_by(const std::atomic<std::int64_t>& end_ns) const {
    Deadline capped = *this;
    capped.cap_ = &end_ns;
    return capped;
  }
  /// The same or earlier: a share of what is left.
  Deadline share(std::size_t of) const {
    Deadline part = *this;
    part.end_ns_ =
        now_ns() + left().count() / static_cast<std::int64_t>(std::max<std::size_t>(of, 1));
    return part;
  }

  std::chrono::nanoseconds left() const {
    const auto end = cap_ == nullptr ? end_ns_ : std::min(end_ns_, cap_->load());
    return std::chrono::nanoseconds(std::max<std::int64_t>(end - now_ns(), 0));
  }
  bool over() const { return left().count() == 0; }

  /// How long to wait before looking again.
  std::chrono::nanoseconds next_look() const {
    return cap_ == nullptr ? left() : std::min(left(), slice());
  }
  static constexpr std::chrono::nanoseconds slice() { return std::chrono::milliseconds(5); }

 private:
  std::int64_t end_ns_;
  const std::atomic<std::int64_t>* cap_ = nullptr;
};

/// The sockets that are open to a server, so that a forked child can close all of them, those too
/// that other threads of its parent were using. Thread-safe.
class Descriptors {
 public:
  /// A new stream socket that does not block, or -1 with errno.
  int open_socket(int family);
  /// Closes a socket of this object's; nothing where the child has closed it before.
  void close(int descriptor);

  /// Around fork(): nothing is opened or closed in between.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  /// While locked: closes all.
  void close_all();

 private:
  std::mutex mutex_;
  std::vector<int> open_;
};

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

// Redis's protocol (RESP 2), by hiredis's reader and writer. Pure functions over bytes.

using Words = std::initializer_list<std::string_view>;

/// A command as it is sent.
std::string encode_command(Words words);

struct Reply {
  enum class Type { nil, string, status, error, integer, array };
  Type type = Type::nil;
  std::string text;  ///< of string, status, error
  long long integer = 0;
  std::vector<Reply> elements;

  bool is(Type other) const { return type == other; }
};

/// Puts replies together from the pieces in which they arrive. Whatever a server sends, it takes no
/// more memory than a few times the bytes that have arrived, and no more than the limit.
class ReplyReader {
 public:
  /// Of all arrays of one reply together.
  static constexpr std::size_t most_elements = 1 << 16;

  ReplyReader();
  ~ReplyReader();
  ReplyReader(ReplyReader&&) noexcept;
  ReplyReader& operator=(ReplyReader&&) noexcept;

  /// The next reply, or nothing where more bytes are needed. Errors: corrupt, after which this
  /// reader is of no more use.
  Expected<std::optional<Reply>> next();
  /// Errors: corrupt where the bytes not yet taken are more than `limit`.
  Expected<void> feed(std::string_view bytes, std::size_t limit);
  /// Nothing is left over from a reply.
  bool empty() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The longest reply to a command that asks for no entry.
inline constexpr std::size_t small_reply = 64 << 10;

/// A connection to a server that has let us in. One thread at a time.
class Connection {
 public:
  /// Tries the addresses in turn, then says who we are and picks the database.
  static Expected<std::unique_ptr<Connection>> open(const SharedUrl& url,
                                                    std::span<const Address> addresses,
                                                    const Deadline& deadline,
                                                    Descriptors& descriptors);

  /// Sends a command and waits for the reply, of at most `limit` bytes. An error that the server
  /// reports is a reply. After an error of this function the connection is of no more use.
  Expected<Reply> call(Words words, const Deadline& deadline, std::size_t limit);

  /// Whether it can be used again: in step, and not hung up on.
  bool reusable() const { return stream_.quiet() && reader_.empty(); }
  /// Whether a byte of a reply to the last command has come.
  bool heard() const { return heard_; }

 private:
  explicit Connection(Stream stream) : stream_(std::move(stream)) {}
  Expected<void> introduce(const SharedUrl& url, const Deadline& deadline);
  Expected<Reply> receive(const Deadline& deadline, std::size_t limit);

  Stream stream_;
  ReplyReader reader_;
  bool heard_ = false;
};

}  // namespace kiln::redis
