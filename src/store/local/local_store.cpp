#include "store/local/local_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/os/file.hpp"
#include "kiln/error.hpp"
#include "store/layer/entry_form.hpp"

// The local store: looking up and keeping entries, and its connection to the database.
namespace kiln {
namespace {

using sqlite::Failure;
using sqlite::Trouble;

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

RowHead head_of(Kind kind, const Key& key, const Metadata& metadata, ByteView content) {
  RowHead head{{kind, key, kept_metadata(metadata), content.size(), seconds_since_1970()},
               xxh3(content)};
  if (content.size() > LocalStore::largest_inline) head.blob = blake2b(content);
  return head;
}

Expected<void> check_sizes(ByteView canonical, const Metadata& metadata) {
  const auto check = [](const char* what, std::size_t size, std::size_t limit) -> Expected<void> {
    if (size <= limit) return {};
    return fail(Errc::bad_input, fmt::format("not stored: the {} has {} bytes; at most {} are kept",
                                             what, size, limit));
  };
  auto checked = check("entry's key", canonical.size(), LocalStore::largest_canonical);
  if (checked) checked = check("label", metadata.label.size(), LocalStore::largest_text);
  if (checked)
    checked = check("fingerprint", metadata.fingerprint.size(), LocalStore::largest_text);
  return checked;
}

/// Absolute, so that a later change of the working folder does not split the store in two.
std::string absolute_folder(const std::string& folder) {
  std::error_code error;
  const auto path =
      folder.empty() ? std::filesystem::path() : std::filesystem::absolute(folder, error);
  return error ? folder : path.string();
}

}  // namespace

LocalStore::LocalStore(const std::string& folder)
    : folder_(absolute_folder(folder)), blobs_(folder_) {
  watch();
}
LocalStore::~LocalStore() {
  write_uses();
  close();
  unwatch();
}

Lookup LocalStore::get(Kind kind, const Key& key, ByteView canonical) {
  Lookup found = look_up(kind, key, canonical);
  if (found.entry) uses_.note(kind, key, seconds_since_1970());
  return found;
}

Lookup LocalStore::look_up(Kind kind, const Key& key, ByteView canonical) {
  auto looked_up = guarded([&] {
    Lookup answer;
    // A writer may replace the entry, and remove its file, between our two steps: look again.
    for (int attempt = 0; attempt < 3; ++attempt) {
      std::string set_aside;
      auto found = on_database(Access::read, [&](Database& database) {
        set_aside = set_aside_;
        return database.find(kind, key);
      });
      const bool in_file = found.row.head.blob.has_value();
      answer = verified_lookup(found, canonical, blobs_, trust_);
      if (found.state == Database::State::absent && !set_aside.empty())
        answer.reason += "; the damaged database was set aside as " + set_aside;
      if (answer.entry || !in_file || answer.reason != missing_content) break;
    }
    return answer;
  });
  return looked_up ? *std::move(looked_up) : Lookup{{}, looked_up.error().message()};
}

Reservation LocalStore::reserve(const Key& key, std::chrono::milliseconds bound) {
  return Reservation::acquire(folder_, key, bound);
}

Expected<void> LocalStore::put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                               const Metadata& metadata) {
  return guarded([&] {
    value_or_throw(check_sizes(canonical, metadata));
    RowHead head = head_of(kind, key, metadata, content);
    trust_.sign_local_entry(head, canonical, content);
    std::optional<AtomicFile> staged;
    if (head.blob) {
      // The long part, writing the file, is done before others have to wait.
      auto file = check_store_folder(folder_, FolderUse::make).and_then([&](bool) {
        return blobs_.stage(*head.blob, content);
      });
      if (!file) throw error_of({Trouble::refused, file.error().message()});
      staged.emplace(*std::move(file));
    }
    const auto replaced = in_transaction([&](Database& database) {
      const auto old = database.find(kind, key);
      write(database, head, canonical, content, staged);
      return old.blob();
    });
    tidy(replaced != head.blob ? replaced : std::nullopt);
  });
}

Expected<void> LocalStore::check_writable() {
  return guarded([&] {
    in_transaction([](Database&) {});
    // Less than a program and what the database writes along with it.
    constexpr std::uint64_t least = 1 << 20;
    struct statvfs disk {};
    if (::statvfs(folder_.c_str(), &disk) == 0 && disk.f_bavail * disk.f_frsize < least)
      throw error_of({Trouble::refused, "its disk is full"});
  });
}

Expected<void> LocalStore::update(Kind kind, const Key& key, ByteView canonical,
                                  const Change& change) {
  return guarded([&] {
    std::optional<Digest> replaced;
    Expected<void> checked;
    in_transaction([&](Database& database) {
      replaced.reset();
      auto old = database.find(kind, key);
      const auto before = old.blob();
      const auto present = verified_lookup(old, canonical, blobs_, trust_).entry;
      auto entry = change(present);
      // What came from elsewhere has passed what this machine asks for; what was added is its own.
      if (entry && present && entry->metadata.made_elsewhere && !entry->metadata.signature)
        entry->metadata.made_elsewhere = !trust_.required();
      if (process_ != ::getpid()) {
        // SQLite's own notes, copied into this child, say that the lock on the file is held.
        given_up_ = "the process was forked inside an update";
        throw Failure(Trouble::refused, given_up_);
      }
      if (entry) checked = check_sizes(canonical, entry->metadata);
      if (!entry || !checked) return;
      RowHead head = head_of(kind, key, entry->metadata, entry->content);
      trust_.sign_local_entry(head, canonical, entry->content);
      std::optional<AtomicFile> staged;
      write(database, head, canonical, entry->content, staged);
      if (before != head.blob) replaced = before;
    });
    tidy(replaced);
    return checked;
  });
}

void LocalStore::write(Database& database, const RowHead& head, ByteView canonical,
                       ByteView content, std::optional<AtomicFile>& staged) const {
  if (head.blob) {
    if (!database.refers_to(*head.blob))
      database.add_file_bytes(static_cast<std::int64_t>(head.size));
    if (!staged) {
      auto file = blobs_.stage(*head.blob, content);
      if (!file) throw Failure(Trouble::refused, file.error().message());
      staged.emplace(*std::move(file));
    }
    const auto named = staged->commit();
    staged.reset();
    // The whole folder may have been removed since the file was written: begin again in a new one.
    if (!named)
      throw Failure(named.error().code() == Errc::not_found ? Trouble::moved : Trouble::refused,
                    named.error().message());
  }
  database.store(head, canonical, head.blob ? ByteView() : content);
}

void LocalStore::tidy(const std::optional<Digest>& replaced) {
  // One by one: a file that stays for now is no reason not to evict.
  if (replaced) (void)guarded([&] { drop_unused({&*replaced, 1}, Counted::yes); });
  (void)guarded([&] {
    if (uses_.due(seconds_since_1970())) write_uses();
    if (limit_ != 0) keep_within_limit();
  });
}

std::unique_ptr<Layer> open_local_store(const std::string& folder) {
  return std::make_unique<LocalStore>(folder);
}

// The local store's connection: opened when needed, given up when damaged, closed over fork().

namespace {

// How long a call waits for other processes before it is a miss.
constexpr std::int64_t patience_ns = 2'000'000'000;
// How long the end of a process may wait to write statistics.
constexpr std::int64_t brief_patience_ns = 10'000'000;
// The first try, one after damage, one after the file was renamed meanwhile.
constexpr int most_tries = 3;

/// Locks for a moment; another process that has to set the same database aside is as quick.
Expected<FileDescriptor> lock_beside(const std::string& database) {
  const std::string path = database + ".lock";
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return tl::unexpected(io_error("write", path, errno));
  for (int attempt = 0; ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (attempt == 1000) return fail(Errc::timeout, "another process holds " + path);
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return fd;
}

/// Renames a damaged database (and what belongs to it: journal, write-ahead files) to
/// DATABASE.damaged-N, the first N of 1 to 9 that is free (the ninth is overwritten). Returns the
/// new file name without its folder.
///
/// Several processes may come to this at once: under a lock, `still_ours` is asked whether the path
/// names the very file that was found damaged; if not, another process was faster, nothing is done
/// and the name is empty.
Expected<std::string> set_aside(const std::string& database,
                                const std::function<bool()>& still_ours) {
  const auto lock = lock_beside(database);
  if (!lock) return tl::unexpected(lock.error());
  if (!still_ours()) return std::string();
  std::string target;
  std::error_code ignored;
  for (int number = 1; number <= 9; ++number) {
    target = database + ".damaged-" + std::to_string(number);
    if (!std::filesystem::exists(target, ignored)) break;
  }
  if (std::rename(database.c_str(), target.c_str()) != 0)
    return tl::unexpected(io_error("set aside", database, errno));
  // A journal left behind would be rolled back into the new database.
  for (const char* suffix : {"-journal", "-wal", "-shm"})
    std::rename((database + suffix).c_str(), (target + suffix).c_str());
  return std::filesystem::path(target).filename().string();
}

}  // namespace

/// Holds the store's mutex, and tells which thread does.
class LocalStore::Occupied {
 public:
  explicit Occupied(LocalStore& store) : store_(store), lock_(store.mutex_, std::defer_lock) {
    if (store.occupant_ == std::this_thread::get_id()) return;
    lock_.lock();
    store.occupant_ = std::this_thread::get_id();
  }
  Occupied(const Occupied&) = delete;
  Occupied& operator=(const Occupied&) = delete;
  ~Occupied() {
    if (lock_) store_.occupant_ = std::thread::id();
  }
  /// False where this thread was inside already.
  explicit operator bool() const { return lock_.owns_lock(); }

 private:
  LocalStore& store_;
  std::unique_lock<std::mutex> lock_;
};

void LocalStore::before_fork() {
  // A fork() from inside `change` leaves the connection open; update() sees to the child.
  if (occupant_ == std::this_thread::get_id()) return;
  mutex_.lock();
  uses_.before_fork();
  trust_.before_fork();
  drop_connection();
}

void LocalStore::after_fork() {
  if (occupant_ == std::this_thread::get_id()) return;
  trust_.after_fork();
  uses_.after_fork();
  mutex_.unlock();
}

void LocalStore::rest() {
  // Inside a change the connection is in use.
  if (const Occupied occupied(*this); occupied) drop_connection();
}

void LocalStore::drop_connection() {
  // An inherited connection (from a bare clone(), which calls no fork handlers) believes that it
  // holds its parent's locks. It must not even be closed: that would roll back the parent's work.
  if (database_ && process_ != ::getpid())
    (void)database_.release();
  else
    database_.reset();
}

void LocalStore::close() {
  const Occupied occupied(*this);
  drop_connection();
}

void LocalStore::call_with_database(Access access, const std::function<void(Database&)>& work) {
  const Occupied occupied(*this);
  if (!occupied) throw Error(Errc::internal, "store used from inside its own update");
  for (int tried = 1;; ++tried) {
    std::optional<Failure> failure;
    try {
      make_ready(access, patience_ns);
      return work(*database_);
    } catch (const Failure& thrown) {
      failure = thrown;
    } catch (const std::exception& thrown) {
      failure.emplace(Trouble::refused, thrown.what());
    }
    if (database_ && process_ == ::getpid()) database_->roll_back();
    if (failure->trouble == Trouble::damaged) {
      begin_anew(*failure);
    } else {
      // Whatever the system refused may be mended by the next call; a new connection finds out.
      if (failure->trouble != Trouble::busy) drop_connection();
      if (failure->trouble != Trouble::moved) throw error_of(*failure);
    }
    if (tried == most_tries) throw error_of(*failure);
  }
}

void LocalStore::make_ready(Access access, std::int64_t patience) {
  if (!given_up_.empty()) throw Failure(Trouble::refused, given_up_);
  if (database_ && (process_ != ::getpid() || database_->moved())) drop_connection();
  // A look-up before anything was kept leaves a connection to nothing: the folder is absent still.
  if (database_ && access == Access::write && database_->empty()) drop_connection();
  const bool fresh = !database_;
  if (fresh) {
    check_owner(access == Access::write ? FolderUse::make : FolderUse::look);
    database_ = std::make_unique<Database>();
    process_ = ::getpid();
  }
  database_->open(database_path(), access, now_ns() + patience);
  if (!fresh) return;
  // Once more: the folder may have been exchanged between the check and the opening.
  check_owner(FolderUse::look);
  if (database_->moved())
    throw Failure(Trouble::moved, "its database was replaced while it was opened");
}

void LocalStore::check_owner(FolderUse use) const {
  const auto checked =
      check_store_folder(folder_, use).and_then([&](bool) { return check_store_files(folder_); });
  if (!checked) throw Failure(Trouble::refused, checked.error().message());
}

void LocalStore::write_uses() {
  const auto uses = uses_.take();
  if (uses.empty()) return;
  const Occupied occupied(*this);
  // An empty or absent database has nothing that could have been used: the folder was removed.
  if (!occupied || ::access(database_path().c_str(), W_OK) != 0) return;
  // Nothing here is worth a wait, a line in the log or a repair: what is wrong will be found by a
  // call that needs the store.
  try {
    make_ready(Access::write, brief_patience_ns);
    database_->begin();
    database_->add(uses);
    database_->commit();
  } catch (const std::exception&) {
    if (database_ && process_ == ::getpid()) database_->roll_back();
    drop_connection();
  }
}

void LocalStore::begin_anew(const Failure& damage) {
  const auto name = set_aside(database_path(), [&] { return !database_->moved(); });
  drop_connection();
  if (!name)
    throw error_of({Trouble::refused, fmt::format("its database is damaged ({}), and {}",
                                                  damage.message, name.error().message())});
  if (name->empty()) return;  // another process has just done it
  // Damage again and again is a bad disk: piling up databases would not help.
  if (!set_aside_.empty()) given_up_ = "its database was damaged a second time";
  set_aside_ = *name;
  log(LogLevel::warning, fmt::format("the store's database in {} was damaged ({}); it is kept as "
                                     "{}, and the store begins anew",
                                     folder_, damage.message, *name));
}

Error LocalStore::error_of(const Failure& failure) {
  if (failure.trouble == Trouble::busy) return {Errc::timeout, "store busy: " + failure.message};
  auto told = fmt::format("the store in {} is unusable: {}", folder_, failure.message);
  if (tells_ == Tells::caller) return {Errc::io, std::move(told)};
  if (!logged_.exchange(true)) log(LogLevel::warning, told);
  return {Errc::io, "store unusable: " + failure.message};
}

}  // namespace kiln
