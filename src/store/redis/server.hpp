#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "store/redis/connection.hpp"

// A Redis server as its callers see it, with the addresses of its host and the breaker that turns
// callers away while it fails.
namespace kiln::redis {

/// Keeps a run from waiting again and again for what does not answer. After a failure everybody is
/// turned away; when a pause is over, one caller may try while the others are still turned away;
/// each failed try makes the pause longer. Times are nanoseconds of any steady clock. Not
/// thread-safe.
class Breaker {
 public:
  struct Pauses {
    std::chrono::milliseconds first{1000}, longest{60'000};
    /// A pause is longer or shorter by up to this part of it, so that a fleet does not come back
    /// all at once.
    double jitter = 0.2;
  };
  /// What a caller gets, and gives back with the outcome.
  enum class Pass : std::uint8_t { refused, normal, trial };
  /// What became of the whole thing with this outcome: worth a line in the log, or not.
  enum class Change : std::uint8_t { none, gone, back };

  explicit Breaker(Pauses pauses, unsigned seed = std::random_device{}());

  Pass ask(std::int64_t now_ns);
  Change succeeded(Pass pass);
  Change failed(Pass pass, std::int64_t now_ns, const std::string& reason);
  /// The caller did not get as far as to find out.
  void give_back(Pass pass);
  /// Whoever tries will not come back: he is a thread of the process that this one was forked from.
  void forget_trial() { trying_ = false; }

  bool open() const { return open_; }
  /// "REASON; next try in 3 s", where it is open.
  std::string state(std::int64_t now_ns) const;

 private:
  Pauses pauses_;
  std::minstd_rand random_;
  bool open_ = false, trying_ = false;
  double pause_ns_ = 0;  ///< without jitter
  std::int64_t next_try_ns_ = 0;
  std::string reason_;
};

/// Finds the addresses of a host; may take as long as it likes. Errors: io.
using Resolve =
    std::function<Expected<std::vector<Address>>(const std::string& host, std::uint16_t port)>;

/// Asks the system (getaddrinfo).
Expected<std::vector<Address>> resolve_by_system(const std::string& host, std::uint16_t port);
/// The address itself, where the text is one; takes no time. Empty where it is a name.
std::vector<Address> numeric_address(const std::string& host, std::uint16_t port);
/// Of a socket in the file system; its path fits (SharedUrl).
Address socket_address(const std::string& path);

/// A look-up of a name under way or done, in a thread of its own because the system's has no
/// deadline. The thread outlives this object if it must. Thread-safe.
class NameLookup {
 public:
  NameLookup(const std::string& host, std::uint16_t port, const Resolve& resolve);

  /// Waits for the answer, which may come for a later caller. Errors: timeout, io.
  Expected<std::vector<Address>> addresses(const Deadline& deadline) const;
  /// Done, with or without success.
  bool done() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

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
