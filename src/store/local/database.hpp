#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/data/digest.hpp"
#include "store/layer/layer.hpp"
#include "store/local/sqlite.hpp"

// The database of a local store: its rows, the uses of entries, and the statements.
namespace kiln {

/// What the database keeps of an entry besides its canonical bytes and its content.
struct RowHead {
  Kind kind{};
  Key key;
  Metadata metadata;
  std::int64_t created = 0;    ///< seconds since 1970, UTC
  std::uint64_t size = 0;      ///< bytes of content
  Checksum checksum;           ///< of the content
  std::optional<Digest> blob;  ///< the content's address where it is a file of its own
};

struct Row {
  RowHead head;
  Bytes canonical;
  Bytes content;  ///< empty where head.blob is set
};

/// The checksum of everything in a row but its content, whose checksum it covers. A row without
/// source, options and build log has the checksum that layout 1 gave it.
Checksum row_checksum(const RowHead& head, ByteView canonical);

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
  /// Whether there is enough to be worth writing with a put(): many, or some for a while.
  bool due(std::int64_t now) const;
  /// Takes all out, in the order of the database.
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

/// A sound row, without its canonical bytes and content, and how it was used.
struct ListedRow {
  RowHead head;
  std::uint64_t canonical_size = 0;
  std::uint64_t hits = 0;
  std::int64_t last_used = 0;  ///< seconds since 1970; 0: never
};

/// The database of a local store: its layouts, and the statements on it. Not thread-safe.
class Database {
 public:
  template <class T>
  using Attempt = sqlite::Attempt<T>;

  /// The layout that this program writes; docs/formats/store.md describes it.
  static constexpr std::int64_t layout = 2;

  enum class Access {
    read,     ///< a database that is absent or has no layout yet counts as empty; an older one is
              ///< read as it is
    write,    ///< made, and brought to the present layout, where need be
    shipped,  ///< read-only, and never changed: no locks, no journal, nothing is made
  };

  Database();
  /// Opens the file, or goes on with the one that is open. After an error the object is of no more
  /// use, but for moved(). Waits for locks until the
  /// deadline (base/clock.hpp), as all later calls do.
  Attempt<void> open(const std::string& path, Access access, std::int64_t deadline_ns);
  /// True while the open file has no layout: it has no entries either.
  bool empty() const { return layout_ == 0; }
  /// True where the path no longer names the file that was opened, even if open() then failed.
  bool moved() const { return connection_.moved(); }

  /// Begins a transaction that shuts out other writers.
  Attempt<void> begin();
  Attempt<void> commit();
  /// Gives up the transaction, if one is open.
  void roll_back();

  enum class State { absent, damaged, sound };
  struct Found {
    State state = State::absent;
    Row row;  ///< verified, where sound
  };
  Attempt<Found> find(Kind kind, const Key& key);
  /// Inserts or replaces.
  Attempt<void> store(const RowHead& head, ByteView canonical, ByteView content);
  Attempt<bool> remove(Kind kind, const Key& key);
  /// True where an entry's content is this file.
  Attempt<bool> refers_to(const Digest& blob);
  /// Calls for each sound row. Returns the number of damaged ones.
  Attempt<std::uint64_t> each(const std::function<void(const ListedRow&)>& call);

  /// A place in the order of the rows: by kind, then key. The default is before all.
  struct Place {
    std::int64_t kind = 0;
    Bytes key = {};
    auto operator<=>(const Place&) const = default;
  };
  /// A part of each(), so that others need not wait for the whole: at most `limit` rows after
  /// `from`, which moves to the last of them. False: there are no more.
  Attempt<bool> scan(Place& from, std::size_t limit,
                     const std::function<void(const ListedRow&)>& sound,
                     const std::function<void(const Place&)>& damaged);
  /// The entries of this kind whose keys are in this range, both ends included; at most `limit`.
  Attempt<std::vector<Key>> between(Kind kind, const Digest& first, const Digest& last,
                                    std::size_t limit);
  /// Removes a row that find() cannot name.
  Attempt<void> remove(const Place& damaged);

  struct Uses {
    std::uint64_t hits = 0;
    std::int64_t last_used = 0;  ///< seconds since 1970; 0: never
  };
  Attempt<Uses> uses(Kind kind, const Key& key);
  /// Adds to the hits of each. Inside a transaction.
  Attempt<void> add(std::span<const Use> uses);
  /// Drops what was noted of entries that are gone.
  Attempt<void> forget_lost_uses();

  /// Bytes of the database that are in use, and of the files that entries refer to. The latter are
  /// kept as a sum, which add_file_bytes() changes; one that is damaged is made anew from the rows.
  struct Size {
    std::int64_t database = 0, files = 0;
    std::int64_t total() const { return database + files; }
  };
  Attempt<Size> size();
  Attempt<void> add_file_bytes(std::int64_t change);
  /// Gives free pages at the end of the file back, at most so many. False: there are no more.
  Attempt<bool> shrink(int pages);

 private:
  Attempt<void> prepare_layout(Access access);
  Attempt<void> upgrade(std::int64_t from);
  Attempt<std::int64_t> trusted_version();
  Attempt<bool> remove_row(std::int64_t kind, ByteView key);
  static bool read_row(const sqlite::Statement& from, Row& into);

  sqlite::Connection connection_;  // first: the statements must go before it
  // Older layouts lack columns: they are read by other statements.
  sqlite::Statement find_, find_in_1_, scan_, scan_in_1_;
  sqlite::Statement store_, remove_, remove_use_, refers_, between_, add_use_;
  sqlite::Statement read_total_, write_total_, read_uses_;
  bool open_ = false;
  std::int64_t layout_ = 0;  ///< of the open file; 0: none yet
};

}  // namespace kiln
