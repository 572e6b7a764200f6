#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "store/redis/breaker.hpp"
#include "store/redis/connection.hpp"

// What the store's client knows of a Redis server: connections to it, the addresses of its host,
// and whether it is asked at present.
namespace kiln::redis {

/// Finds the addresses of a host, as numbers; may take as long as it likes. Errors: io.
using Addresses = std::vector<std::string>;
using Resolve = std::function<Expected<Addresses>(const std::string& host)>;

/// Asks the system (getaddrinfo).
Expected<Addresses> resolve_by_system(const std::string& host);

/// A client of one server: commands and replies. Keeps connections for the next call, finds
/// the host's addresses, and after a failure turns callers away (Breaker), which it logs when it
/// begins and when it ends. Thread-safe; calls run at the same time.
///
/// Whether a server that failed is back is not found out by those who want to read, or a run would
/// wait for it again and again: a thread does it when one of them asks. Who writes tries himself.
class Client {
 public:
  struct Options {
    Breaker::Pauses pauses = {};
    Resolve resolve = resolve_by_system;
  };
  /// `failures` is the level at which it is logged that the server fails.
  Client(SharedUrl url, Options options, LogLevel failures = LogLevel::warning);
  ~Client();

  /// What a command is for. A server that refuses to write (it is full) may still be read.
  enum class Use : std::uint8_t { read, write };

  /// Errors: corrupt where the key or the reply is not what it should be; refused where the server
  /// says no; io and timeout where it cannot be reached; io "skipped: …" where that was so before.
  Expected<Reply> call(Use use, Words words, const Deadline& deadline, std::size_t limit);

  /// All calls come to their end within the bound, those under way too.
  void end_within(std::chrono::milliseconds bound);
  /// That bound is over, so that nothing is asked any more.
  bool has_ended() const { return end_ns_ <= now_ns(); }

  std::string shown() const { return url_.shown(); }
  /// The last that was heard of it was no failure.
  bool reachable();

  /// From now on none is kept for the next call.
  void keep_no_connections();

  /// Around fork(). In the child nothing of the parent's is left, nor in use.
  void before_fork() { mutex_.lock(); }
  void after_fork();

 private:
  static constexpr std::size_t most_idle = 8;

  /// A connection in use, which comes back to its server.
  struct TakeBack {
    Client* client;
    void operator()(Connection* connection) const { client->take_back(connection); }
  };
  using Lent = std::unique_ptr<Connection, TakeBack>;
  /// One that was used before and looks sound, or null.
  Lent lend_idle();
  Lent lend_new(const std::string& address);
  void take_back(Connection* connection);

  /// With the mutex held: tries in a thread, for as long as a caller would.
  void start_probe(std::chrono::nanoseconds bound);
  Expected<Reply> converse(Words words, const Deadline& deadline, std::size_t limit);
  Expected<Lent> connect(const Deadline& deadline);
  Expected<Addresses> addresses(const Deadline& deadline);
  /// Tells the breakers.
  Expected<Reply> judged(Use use, Breaker::Pass pass, Breaker::Pass write_pass,
                         Expected<Reply> reply);
  void note(Breaker::Change change, std::string_view gone, std::string_view back,
            const std::string& reason) const;

  const SharedUrl url_;
  const Resolve resolve_;
  const LogLevel failures_;
  std::atomic<std::int64_t> end_ns_{std::numeric_limits<std::int64_t>::max()};

  std::mutex mutex_;  // of what follows
  Breaker reach_, writes_;
  std::vector<std::unique_ptr<Connection>> idle_;
  bool keeps_ = true;           ///< those that are idle
  std::set<Connection*> lent_;  ///< owned by who uses them
  std::shared_future<Expected<Addresses>> lookup_;
  bool probing_ = false;
  std::thread probe_;
  int process_;
};

}  // namespace kiln::redis
