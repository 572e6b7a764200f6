#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "store/layer/fork_guard.hpp"
#include "store/layer/layer.hpp"
#include "store/layer/shared_layer.hpp"
#include "store/redis/connection.hpp"
#include "store/redis/server.hpp"

// The fleet's store on Redis, and the thread that sends entries there.
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

namespace kiln {

/// The fleet's store on a Redis server: an entry is a string at "kiln:1:KIND:KEY", in the form in
/// which entries travel (store/layer/entry_form.hpp). docs/shared-store.md says how to run the
/// server, docs/formats/store.md what lies there. Thread-safe; over fork() nothing stays open in
/// the child, and what waited to be sent stays with the parent.
class RedisStore final : public SharedLayer, private ForkGuarded {
 public:
  /// What tests change.
  struct Tuning {
    redis::Server::Options server = {};
    redis::Sender::Limits sender = {};
    std::size_t largest = largest_shared;
  };

  RedisStore(SharedUrl url, SharedOptions options);
  RedisStore(SharedUrl url, SharedOptions options, Tuning tuning);
  /// Sends what waits, within the bound.
  ~RedisStore() override;

  std::string name() const override { return "shared store"; }
  std::string where() const override { return server_.shown(); }
  Lookup get(Kind kind, const Key& key, ByteView canonical) override;
  /// Copies the entry for its thread. Errors: refused where it is too large or too many wait.
  Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                     const Metadata& metadata) override;
  /// Not for a store that is shared: unsupported.
  Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                        const Change& change) override;

  Expected<void> send(Kind kind, const Key& key, ByteView canonical, ByteView content,
                      const Metadata& metadata) override;
  Expected<Page> list(const std::string& cursor) override;
  Expected<Found> fetch(Kind kind, const Key& key) override;

 private:
  Expected<void> send_by(const redis::Deadline& deadline, Kind kind, const Key& key,
                         ByteView canonical, ByteView content, const Metadata& metadata);
  /// The sender of this process. Call with its mutex held.
  redis::Sender& sender();
  void leave_sender_to_parent();
  void before_fork() override;
  void after_fork() override;

  const SharedOptions options_;
  const Tuning tuning_;
  redis::Server server_;
  std::mutex sender_mutex_;
  std::unique_ptr<redis::Sender> sender_;
  int process_;
};

}  // namespace kiln
