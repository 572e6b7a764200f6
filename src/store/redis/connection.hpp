#pragma once

#include <hiredis/hiredis.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "kiln/error.hpp"
#include "store/layer/shared_layer.hpp"

// A connection to a Redis server, by hiredis, and the moment by which something must be done.
namespace kiln::redis {

/// The moment by which something has to be done, whatever the number of its steps. It may be
/// brought forward from another thread while one waits (see capped_by).
class Deadline {
 public:
  explicit Deadline(std::chrono::nanoseconds from_now) : end_ns_(now_ns() + from_now.count()) {}

  /// The same, but not later than `end_ns` says at each look.
  Deadline capped_by(const std::atomic<std::int64_t>& end_ns) const {
    Deadline capped = *this;
    capped.cap_ = &end_ns;
    return capped;
  }
  std::chrono::nanoseconds left() const {
    const auto end = cap_ == nullptr ? end_ns_ : std::min(end_ns_, cap_->load());
    return std::chrono::nanoseconds(std::max<std::int64_t>(end - now_ns(), 0));
  }
  bool over() const { return left().count() == 0; }

  /// How long to wait before looking again.
  std::chrono::nanoseconds next_look() const { return std::min(left(), slice()); }
  static constexpr std::chrono::nanoseconds slice() { return std::chrono::milliseconds(5); }

 private:
  std::int64_t end_ns_;
  const std::atomic<std::int64_t>* cap_ = nullptr;
};

using Words = std::initializer_list<std::string_view>;

/// As hiredis builds it.
struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

/// Of a string, a status or an error; empty for all others.
inline std::string_view text_of(const redisReply& reply) {
  return reply.str == nullptr ? std::string_view() : std::string_view(reply.str, reply.len);
}

/// The longest reply to a command that asks for no entry.
inline constexpr std::size_t small_reply = 64 << 10;

/// A context of hiredis that keeps to a deadline and takes no more than a bounded reply. Whatever a
/// server sends takes no more memory than a few times the bytes that have arrived. One thread at a
/// time.
///
/// The context is one that does not block, and waits are ours: hiredis's own time-outs are per
/// read, so that a server which sends a byte now and then would hold a caller for ever.
class Connection {
 public:
  /// Of all lists of one reply together.
  static constexpr std::size_t most_elements = 1 << 16;

  /// Sets out for an address, given as a number, or for the URL's socket where it has no host.
  /// Waits for nothing.
  Connection(const SharedUrl& url, const std::string& address);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Waits for the connection, says who we are and picks the database.
  Expected<void> open(const SharedUrl& url, const Deadline& deadline);
  /// Sends a command and waits for the reply, of at most `limit` bytes. An error that the server
  /// reports is a reply. After an error of this function the connection is of no more use.
  Expected<Reply> call(Words words, const Deadline& deadline, std::size_t limit);

  /// Whether it can be used again: in step, not hung up on, and nothing was refused, after which
  /// one may have to say anew who we are.
  bool reusable() const;
  int descriptor() const { return context_->fd; }

 private:
  Error failure(std::string_view what) const;
  Expected<void> wait(short events, const Deadline& deadline, std::string_view what) const;
  void append(Words words);
  Expected<void> send(const Deadline& deadline);
  Expected<Reply> receive(const Deadline& deadline, std::size_t limit);

  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };
  std::unique_ptr<redisContext, Free> context_;
  std::string commands_;      ///< that are not sent yet
  std::size_t elements_ = 0;  ///< of the reply under way
  bool in_step_ = false;
};

}  // namespace kiln::redis
