#pragma once

#include <memory>
#include <span>

#include "store/redis/protocol.hpp"
#include "store/redis/stream.hpp"
#include "store/shared_url.hpp"

namespace kiln::redis {

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
