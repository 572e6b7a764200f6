#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "store/redis/breaker.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/names.hpp"

namespace kiln::redis {

/// A server as its callers see it: commands and replies. Keeps connections for the next call, finds
/// the host's addresses, and after a failure turns callers away (Breaker), which it logs when it
/// begins and when it ends. Thread-safe; calls run beside one another.
///
/// Whether a server that failed is back is not found out by those who want to read, or a run would
/// wait for it again and again: a thread does it when one of them asks. Who writes tries himself.
class Server {
 public:
  struct Options {
    Breaker::Pauses pauses = {};
    Resolve resolve = resolve_by_system;
    LogLevel failures = LogLevel::warning;  ///< at which it is logged that the server fails
  };
  Server(SharedUrl url, Options options);
  ~Server();

  /// What a command is for. A server that refuses to write (it is full) may still be read.
  enum class Use : std::uint8_t { read, write };

  /// Errors: corrupt where the key or the reply is not what it should be; refused where the server
  /// says no; io and timeout where it cannot be reached; io "skipped: …" where that was so before.
  Expected<Reply> call(Use use, Words words, const Deadline& deadline, std::size_t limit);

  std::string shown() const { return url_.shown(); }
  /// The last that was heard of it was no failure.
  bool reachable();

  /// Around fork(). In the child nothing of the parent's is left, nor in use.
  void before_fork();
  void after_fork();

 private:
  static constexpr std::size_t most_idle = 8;

  /// What a caller got from begin() and gives to end().
  struct Turn {
    Breaker::Pass pass{}, write_pass{};
    std::unique_ptr<Connection> connection;
  };
  Expected<Turn> begin(Use use, const Deadline& deadline);
  /// With the mutex held: tries in a thread, for as long as a caller would.
  void start_probe(std::chrono::nanoseconds bound);
  /// As converse(); what it throws is a failure.
  Expected<Reply> try_to_converse(std::unique_ptr<Connection>& connection, Words words,
                                  const Deadline& deadline, std::size_t limit);
  Expected<Reply> converse(std::unique_ptr<Connection>& connection, Words words,
                           const Deadline& deadline, std::size_t limit);
  Expected<std::unique_ptr<Connection>> connect(const Deadline& deadline);
  Expected<std::vector<Address>> addresses(const Deadline& deadline);
  Expected<Reply> end(Use use, Turn turn, Expected<Reply> reply);
  void note(Breaker::Change change, const std::string& reason) const;
  void note_writes(Breaker::Change change, const std::string& reason) const;
  void leave_to_parent();

  const SharedUrl url_;
  const Resolve resolve_;
  const LogLevel failures_;
  Descriptors descriptors_;  // before the connections, which close theirs in it

  std::mutex mutex_;  // of what follows
  Breaker reach_, writes_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::vector<Address> fixed_;
  std::optional<NameLookup> lookup_;
  std::thread probe_;
  int process_;

  std::atomic<std::int64_t> probe_end_ns_{std::numeric_limits<std::int64_t>::max()};
};

}  // namespace kiln::redis
