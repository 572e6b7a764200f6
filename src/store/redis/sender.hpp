#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "store/layer.hpp"
#include "store/redis/deadline.hpp"

namespace kiln::redis {

/// Sends entries in a thread of its own, so that nobody waits for it. Bounded: what does not fit
/// is dropped, and counted. Thread-safe.
class Sender {
 public:
  struct Item {
    Kind kind{};
    Key key;
    Bytes canonical, content;
    Metadata metadata;
    std::size_t size() const { return canonical.size() + content.size(); }
  };
  /// Sends one by the deadline, which may be brought forward meanwhile. What it throws is a failure
  /// like any other.
  using Send = std::function<Expected<void>(const Item&, const Deadline&)>;
  struct Limits {
    std::size_t entries = 256, bytes = 128 << 20;
    std::chrono::milliseconds patience{5000};  ///< for one entry
  };
  /// Of entries that were not sent because there was no room or no time.
  struct Dropped {
    std::size_t entries = 0;
    std::string reason;  ///< of the last
  };

  Sender(Send send, Limits limits);
  ~Sender() { finish(std::chrono::milliseconds(0)); }

  /// Errors: refused where there is no room, io where there is no thread to send it.
  Expected<void> add(Item item);
  /// Sends what it can within the bound, and ends. Call once, from one thread.
  Dropped finish(std::chrono::milliseconds bound);

 private:
  void run();
  Expected<void> send(const Item& item) const;
  const Send send_;
  const Limits limits_;
  std::atomic<std::int64_t> end_ns_{std::numeric_limits<std::int64_t>::max()};
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<Item> waiting_;
  std::size_t bytes_ = 0;  ///< of those waiting and the one being sent
  bool finishing_ = false;
  Dropped dropped_;
  std::thread thread_;
};

}  // namespace kiln::redis
