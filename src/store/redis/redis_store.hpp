#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "store/layer/fork_guard.hpp"
#include "store/layer/layer.hpp"
#include "store/layer/shared_layer.hpp"
#include "store/layer/write_queue.hpp"
#include "store/redis/client.hpp"

namespace kiln {

/// The fleet's store on a Redis server: an entry is a string at "kiln:1:KIND:KEY", in the form in
/// which entries travel (store/layer/entry_form.hpp). docs/shared-store.md says how to run the
/// server, docs/formats/store.md what lies there. Thread-safe; over fork() nothing stays open in
/// the child, and what waited to be sent stays with the parent.
class RedisStore final : public SharedLayer, private ForkGuarded {
 public:
  /// What tests change.
  struct Tuning {
    redis::Client::Options server = {};
    /// Of entries that wait to be sent; more are dropped, and counted.
    WriteQueue::Limits waiting = {256, 128 << 20};
    std::chrono::milliseconds patience{5000};  ///< for sending one of them
    std::size_t largest = largest_shared;
  };

  RedisStore(SharedUrl url, SharedOptions options);
  RedisStore(SharedUrl url, SharedOptions options, Tuning tuning);
  /// Sends what waits, within the bound.
  ~RedisStore() override;

  std::string name() const override { return "shared store"; }
  std::string where() const override { return client_.shown(); }
  Lookup get(Kind kind, const Key& key, ByteView canonical) override;
  /// Copies the entry for its thread. Errors: refused where it is too large or too many wait.
  Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                     const Metadata& metadata) override;
  /// Not for a store that is shared: unsupported.
  Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                        const Change& change) override;

  /// From now on each connection is closed after its use.
  void rest() override { client_.keep_no_connections(); }

  Expected<void> send(Kind kind, const Key& key, ByteView canonical, ByteView content,
                      const Metadata& metadata) override;
  Expected<Page> list(const std::string& cursor) override;
  Expected<Found> fetch(Kind kind, const Key& key) override;

 private:
  Expected<void> send_by(const redis::Deadline& deadline, Kind kind, const Key& key,
                         ByteView canonical, ByteView content, const Metadata& metadata);
  void before_fork() override { client_.before_fork(); }
  void after_fork() override { client_.after_fork(); }

  const SharedOptions options_;
  const Tuning tuning_;
  redis::Client client_;
  std::atomic<std::size_t> late_{0};  ///< entries for which there was no time at the end
  WriteQueue queue_;
};

}  // namespace kiln
