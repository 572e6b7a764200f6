#pragma once

#include <functional>
#include <optional>
#include <string>

#include "store/row.hpp"
#include "store/sqlite.hpp"

namespace kiln {

/// The database of a local store: its layout, and the statements on it. Not thread-safe.
class Database {
 public:
  template <class T>
  using Attempt = sqlite::Attempt<T>;

  /// The layout that this program writes; docs/formats/store.md describes it.
  static constexpr std::int64_t layout = 1;

  enum class Access {
    read,     ///< a database that is absent or has no layout yet counts as empty
    write,    ///< made, and brought to the present layout, where need be
    shipped,  ///< read-only, and changed by nobody: no locks, no journal, nothing is made
  };

  Database();
  /// Opens the file, or goes on with the one that is open. After an error the object is of no more
  /// use, but for moved(). Waits for locks until the
  /// deadline (base/clock.hpp), as all later calls do.
  Attempt<void> open(const std::string& path, Access access, std::int64_t deadline_ns);
  /// True while the open file has no layout: it has no entries either.
  bool empty() const { return !ready_; }
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
  /// Calls for each sound row, without its canonical bytes and content. Returns the number of
  /// damaged ones.
  Attempt<std::uint64_t> each(const std::function<void(const RowHead&)>& call);

 private:
  Attempt<void> prepare_layout(Access access);
  Attempt<void> upgrade(std::int64_t from);
  Attempt<std::int64_t> trusted_version();
  static bool read_row(const sqlite::Statement& from, Row& into);

  sqlite::Connection connection_;  // first: the statements must go before it
  sqlite::Statement find_, store_, remove_, refers_, each_;
  bool open_ = false, ready_ = false;
};

}  // namespace kiln
