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
struct RowHead : EntryInfo {
  Checksum checksum = {};           ///< of the content
  std::optional<Digest> blob = {};  ///< the content's address where it is a file of its own
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
  using Place = std::pair<Kind, Key>;
  struct PlaceHash {
    std::size_t operator()(const Place& place) const noexcept {
      return KeyHash{}(place.second) + static_cast<std::size_t>(place.first);
    }
  };

  void forget_the_parents();

  mutable std::mutex mutex_;
  std::unordered_map<Place, Counter, PlaceHash> counters_;
  std::int64_t since_ = 0;  ///< when the first of them was noted
  int process_ = 0;
};

/// The database of a local store: its layouts, and the statements on it. Calls throw
/// sqlite::Failure; after one of open() the object is of no more use, but for moved(). Not
/// thread-safe.
class Database {
 public:
  /// The layout that this program writes; docs/formats/store.md describes it.
  static constexpr std::int64_t layout = 2;

  enum class Access {
    read,     ///< a database that is absent or has no layout yet counts as empty; an older one is
              ///< read as it is
    write,    ///< made, and brought to the present layout, where need be
    shipped,  ///< read-only, and never changed: no locks, no journal, nothing is made
  };

  Database();
  /// Opens the file, or goes on with the one that is open. Waits for locks until the deadline
  /// (base/clock.hpp), as all later calls do.
  void open(const std::string& path, Access access, std::int64_t deadline_ns);
  /// True while the open file has no layout: it has no entries either.
  bool empty() const { return layout_ == 0; }
  /// True where the path no longer names the file that was opened, even if open() then failed.
  bool moved() const { return connection_.moved(); }

  /// Begins a transaction that shuts out other writers.
  void begin();
  void commit();
  /// Gives up the transaction, if one is open.
  void roll_back() noexcept;

  enum class State { absent, damaged, sound };
  struct Found {
    State state = State::absent;
    Row row;  ///< verified, where sound; its uses are not read
    /// The file of a sound row's content.
    std::optional<Digest> blob() const {
      return state == State::sound ? row.head.blob : std::nullopt;
    }
  };
  Found find(Kind kind, const Key& key);
  /// Inserts or replaces.
  void store(const RowHead& head, ByteView canonical, ByteView content);
  /// True where there was such an entry.
  bool remove(Kind kind, const Key& key);
  /// True where an entry's content is this file.
  bool refers_to(const Digest& blob);
  /// Calls for each sound row. Returns the number of damaged ones.
  std::uint64_t each(const std::function<void(const RowHead&)>& call);

  /// A place in the order of the rows: by kind, then key. The default is before all.
  struct Place {
    std::int64_t kind = 0;
    Bytes key = {};
    auto operator<=>(const Place&) const = default;
  };
  /// A part of each(), so that others need not wait for the whole: at most `limit` rows after
  /// `from`, which moves to the last of them. False: there are no more.
  bool scan(Place& from, std::size_t limit, const std::function<void(const RowHead&)>& sound,
            const std::function<void(const Place&)>& damaged);
  /// The entries of this kind whose keys are in this range, both ends included; at most `limit`.
  std::vector<Key> between(Kind kind, const Digest& first, const Digest& last, std::size_t limit);
  /// Removes a row, also one that find() cannot name. True where it was there.
  bool remove(const Place& place);

  /// Fills in how an entry was used.
  void read_uses(EntryInfo& into);
  /// Adds to the hits of each. Inside a transaction.
  void add(std::span<const Use> uses);
  /// Drops what was noted of entries that are gone.
  void forget_lost_uses();

  /// Bytes of the database that are in use, and of the files that entries refer to. The latter are
  /// kept as a sum, which add_file_bytes() changes; one that is damaged is made anew from the rows.
  struct Size {
    std::int64_t database = 0, files = 0;
    std::uint64_t total() const { return static_cast<std::uint64_t>(database + files); }
  };
  Size size();
  void add_file_bytes(std::int64_t change);
  /// Gives free pages at the end of the file back, at most so many. False: there are no more.
  bool shrink(int pages);

 private:
  void prepare_layout(Access access);
  std::int64_t trusted_version();
  std::int64_t free_pages();
  bool read_row(const sqlite::Rows& from, Row& into) const;
  static void read_uses(const sqlite::Rows& from, int column, EntryInfo& into);

  sqlite::Connection connection_;  // first: the statements must go before it
  // Older layouts lack columns: they are read by other statements.
  sqlite::Statement find_, find_in_1_, scan_, scan_in_1_;
  sqlite::Statement store_, remove_, remove_use_, refers_, between_, add_use_;
  sqlite::Statement read_total_, write_total_, read_uses_;
  bool open_ = false;
  std::int64_t layout_ = 0;  ///< of the open file; 0: none yet
};

}  // namespace kiln
