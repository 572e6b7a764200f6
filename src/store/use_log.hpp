#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "store/layer.hpp"

namespace kiln {

/// How often an entry was used, and when last.
struct Use {
  Kind kind{};
  Key key;
  std::uint64_t hits = 0;
  std::int64_t last_used = 0;  ///< seconds since 1970, UTC
};

/// The uses of a store's entries that are not written yet. A hit is a line in memory; the store
/// writes many at once, when it writes anyway or is closed. What is lost with a killed process is
/// lost: it only steers what is evicted first. Thread-safe; forgets over fork() what the parent
/// will write.
class UseLog {
 public:
  /// Entries that are remembered at once; further ones are not counted until take().
  static constexpr std::size_t most = 1 << 16;

  void note(Kind kind, const Key& key, std::int64_t now) noexcept;
  /// Whether there is enough to be worth writing beside a put(): many, or some for a while.
  bool due(std::int64_t now) const;
  /// All, in the order of the database, and none from here on.
  std::vector<Use> take();

  /// Around a fork(): the child must not find the lock held by a thread that it does not have.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

 private:
  struct Counter {
    std::uint64_t hits = 0;
    std::int64_t last_used = 0;
  };
  using Counters = std::unordered_map<Key, Counter, KeyHash>;
  static constexpr std::size_t kinds = 4;

  void forget_the_parents();

  mutable std::mutex mutex_;
  Counters counters_[kinds];
  std::size_t size_ = 0;
  std::int64_t since_ = 0;  ///< when the first of them was noted
  int process_ = 0;
};

}  // namespace kiln
