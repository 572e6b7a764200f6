#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "store/layer/fork_guard.hpp"
#include "store/layer/layer.hpp"
#include "store/local/blobs.hpp"
#include "store/local/database.hpp"
#include "store/local/eviction.hpp"
#include "store/local/trust_check.hpp"
#include "store/trust/guarded_files.hpp"

// The local store of a machine, with what the command needs besides the interface of a layer:
// lists, counts, checks, removal.
namespace kiln {

/// The local store: a SQLite database for keys, records and small contents, and content-addressed
/// files for large ones. docs/formats/store.md describes every byte.
///
/// One connection, opened at the first use, guarded by a mutex (the hot layer is memory); large
/// contents are read and written outside it. Hits are counted in memory and written now and then
/// at a put(), and at the end. Calls wait at most about two seconds for other
/// processes. Everything is closed before fork() and opened again on either side at the next call.
class LocalStore final : public Layer, private ForkGuarded {
 public:
  /// The largest content that is kept inside the database: up to here that is as fast to read as
  /// a file, and several times as fast to write.
  static constexpr std::size_t largest_inline = 8 << 10;

  explicit LocalStore(const std::string& folder);
  ~LocalStore() override;

  /// From now on what makes the store unusable stands in the errors alone, with the folder; without
  /// this the first of them is logged as well. For callers who show every error.
  void leave_failures_to_caller() { tells_ = Tells::caller; }

  std::string name() const override { return "local store"; }
  const std::string& folder() const { return folder_; }
  std::string database_path() const { return folder_ + "/store.db"; }

  Lookup get(Kind kind, const Key& key, ByteView canonical) override;
  Expected<void> put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                     const Metadata& metadata) override;
  Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                        const Change& change) override;
  Reservation reserve(const Key& key, std::chrono::milliseconds bound) override;
  std::string near_miss(Kind kind, ByteView canonical) override;
  Expected<void> check_writable() override;

  /// All sound entries, by kind and key.
  Expected<std::vector<EntryInfo>> list();
  /// One of them; Errc::not_found where there is none, corrupt where its row is damaged.
  Expected<EntryInfo> info(Kind kind, const Key& key);
  void settle() override { write_uses(); }
  void rest() override;
  /// As get(), but no use of the entry: nothing is counted.
  Lookup look_up(Kind kind, const Key& key, ByteView canonical);
  /// The keys that begin with these hexadecimal letters, at most `limit` of each kind.
  Expected<std::vector<std::pair<Kind, Key>>> keys_like(std::string_view prefix, std::size_t limit);
  /// The canonical bytes of an entry; Errc::not_found where there is none.
  Expected<Bytes> canonical_of(Kind kind, const Key& key);
  /// True where there was such an entry.
  Expected<bool> remove(Kind kind, const Key& key);
  Expected<StoreStatistics> stats();
  /// Removes the files that no entry refers to, what killed writers left more than an hour ago, and
  /// the reservations of makers that died.
  Expected<BlobFolder::Total> collect();
  /// Calls `differs` for each file that is used but whose content has another digest than its name.
  /// Returns how many files no entry uses.
  Expected<std::uint64_t> check_files(const std::function<void(const Digest&)>& differs);
  /// Removes the file of a content; entries that refer to it are misses from then on.
  void remove_file(const Digest& content) const { blobs_.remove(content); }
  /// Bytes of the database that are in use and of the files that entries refer to.
  Expected<std::uint64_t> size();
  /// Removes entries of stale devices, damaged rows and unused files; then the least useful entries
  /// until the store is no larger than asked. Other threads and processes may use it meanwhile.
  Expected<GcReport> gc(const GcOptions& options, const StaleDevices& devices = {});
  /// From now on a put() that makes the store larger than this evicts what is little useful. 0, as
  /// it is at first: it may grow without end.
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  std::uint64_t limit() const { return limit_; }

 private:
  using Access = Database::Access;
  class Occupied;

  // What follows throws Error; the public calls give it as an Expected (guarded()).

  /// Calls `work` with the open database under the mutex, and gives its result. Where the file
  /// turns out to be damaged or renamed, that is dealt with and `work` is called again. A
  /// transaction left open is rolled back.
  template <class Work>
  auto on_database(Access access, const Work& work) {
    if constexpr (std::is_void_v<std::invoke_result_t<const Work&, Database&>>) {
      call_with_database(access, work);
    } else {
      std::optional<std::invoke_result_t<const Work&, Database&>> result;
      call_with_database(access, [&](Database& database) { result.emplace(work(database)); });
      return *std::move(result);
    }
  }
  /// The same in a transaction that shuts out other writers.
  template <class Work>
  auto in_transaction(const Work& work) {
    return on_database(Access::write, [&](Database& database) {
      database.begin();
      if constexpr (std::is_void_v<std::invoke_result_t<const Work&, Database&>>) {
        work(database);
        database.commit();
      } else {
        auto result = work(database);
        database.commit();
        return result;
      }
    });
  }
  void call_with_database(Access access, const std::function<void(Database&)>& work);
  Error error_of(const sqlite::Failure& failure);
  void begin_anew(const sqlite::Failure& damage);

  // Within these two: failures are those of the database.

  void make_ready(Access access, std::int64_t patience_ns);
  /// Fails where another user can have written what is in the folder, or can write to it.
  void check_owner(FolderUse use) const;
  /// Stores a row inside a transaction, and gives the file of its content its name; writes that
  /// first where `staged` is empty.
  void write(Database& database, const RowHead& head, ByteView canonical, ByteView content,
             std::optional<AtomicFile>& staged) const;

  void drop_connection();
  /// Closes the connection while it is still watched: a fork() in the middle of it would leave the
  /// child with SQLite's global locks held for ever.
  void close();

  /// Removes those of these files that no entry uses, in one transaction.
  enum class Counted : bool { no, yes };  ///< in the sum that the database keeps
  BlobFolder::Total drop_unused(std::span<const Digest> blobs, Counted counted);
  void remove_rows(std::span<const RemovalCandidate> rows);
  struct Survey;  ///< what gc knows of a store
  Survey survey(const StaleDevices& devices);
  void evict(Survey& survey, const GcOptions& options, GcReport& report);
  void keep_within_limit();
  /// Writes the hits since the last time; an attempt, no more.
  void write_uses();
  /// After a write: removes the content's file that it replaced, and does the upkeep that is due.
  /// What of it fails is left for the next time.
  void tidy(const std::optional<Digest>& replaced);

  void before_fork() override;
  void after_fork() override;

  const std::string folder_;
  const BlobFolder blobs_;
  UseLog uses_;
  TrustCheck trust_;
  std::mutex mutex_;
  std::atomic<std::thread::id> occupant_{};  ///< the thread inside, to refuse calls from `change`
  std::unique_ptr<Database> database_;
  int process_ = 0;        ///< whose connection it is
  std::string set_aside_;  ///< the damaged database's new name, once there was one
  std::string given_up_;   ///< why this object is of no more use, once it is not
  enum class Tells { log, caller };
  Tells tells_ = Tells::log;
  std::atomic<bool> logged_{false};
  std::atomic<std::uint64_t> limit_{0};
};

/// Reads every entry of a store and checks it as a hit would, and more: that its key is the digest
/// of its canonical bytes, that a file's name is the digest of its content, and that this machine
/// trusts its maker. Others may use the store meanwhile.
Expected<StoreCheck> check_store(LocalStore& store);

}  // namespace kiln
