#include "store/local/local_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
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

template <class T>
using Attempt = sqlite::Attempt<T>;

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

RowHead head_of(Kind kind, const Key& key, const Metadata& metadata, ByteView content) {
  RowHead head{kind,          key, kept_metadata(metadata), seconds_since_1970(), content.size(),
               xxh3(content), {}};
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
  try {
    Lookup found = look_up(kind, key, canonical);
    if (found.entry) uses_.note(kind, key, seconds_since_1970());
    return found;
  } catch (const std::exception& problem) {
    return {{}, std::string("store: ") + problem.what()};
  }
}

Lookup LocalStore::look_up(Kind kind, const Key& key, ByteView canonical) {
  Lookup answer;
  // A writer may replace the entry, and remove its file, between our two steps: look again.
  for (int attempt = 0; attempt < 3; ++attempt) {
    Database::Found found;
    std::string set_aside;
    const auto done = on_database(Access::read, [&](Database& database) -> Attempt<void> {
      set_aside = set_aside_;
      auto result = database.find(kind, key);
      if (!result) return tl::unexpected(result.error());
      found = *std::move(result);
      return {};
    });
    if (!done) return {{}, done.error().message()};
    const bool in_file = found.row.head.blob.has_value();
    answer = verified_lookup(found, canonical, blobs_, trust_);
    if (found.state == Database::State::absent && !set_aside.empty())
      answer.reason += "; the damaged database was set aside as " + set_aside;
    if (answer.entry || !in_file || answer.reason != missing_content) break;
  }
  return answer;
}

Reservation LocalStore::reserve(const Key& key, std::chrono::milliseconds bound) {
  return Reservation::acquire(folder_, key, bound);
}

Expected<void> LocalStore::put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                               const Metadata& metadata) {
  return guarded([&]() -> Expected<void> {
    if (auto checked = check_sizes(canonical, metadata); !checked) return checked;
    RowHead head = head_of(kind, key, metadata, content);
    trust_.sign_local_entry(head, canonical, content);
    auto done = insert(head, canonical, content);
    if (done && uses_.due(seconds_since_1970())) write_uses();
    if (done && limit_ != 0) keep_within_limit();
    return done;
  });
}

Expected<void> LocalStore::insert(const RowHead& head, ByteView canonical, ByteView content) {
  std::optional<AtomicFile> staged;
  if (head.blob) {
    // The long part, writing the file, is done before others have to wait.
    if (auto folder = check_store_folder(folder_, FolderUse::make); !folder)
      return tl::unexpected(error_of({Trouble::refused, folder.error().message()}));
    auto file = blobs_.stage(*head.blob, content);
    if (!file) return tl::unexpected(error_of({Trouble::refused, file.error().message()}));
    staged.emplace(*std::move(file));
  }
  std::optional<Digest> replaced;
  const auto work = [&](Database& database) -> Attempt<void> {
    if (auto begun = database.begin(); !begun) return begun;
    auto old = database.find(head.kind, head.key);
    if (!old) return tl::unexpected(old.error());
    if (old->state == Database::State::sound) replaced = old->row.head.blob;
    if (auto named = name_blob(database, head, content, staged); !named) return named;
    auto stored = database.store(head, canonical, head.blob ? ByteView() : content);
    return stored ? database.commit() : stored;
  };
  auto done = on_database(Access::write, work);
  if (done && replaced != head.blob) drop_if_unused(replaced);
  return done;
}

Expected<void> LocalStore::update(Kind kind, const Key& key, ByteView canonical,
                                  const Change& change) {
  return guarded([&]() -> Expected<void> {
    std::optional<Digest> replaced, written;
    Expected<void> checked;
    const auto work = [&](Database& database) -> Attempt<void> {
      if (auto begun = database.begin(); !begun) return begun;
      auto old = database.find(kind, key);
      if (!old) return tl::unexpected(old.error());
      if (old->state == Database::State::sound) replaced = old->row.head.blob;
      written = replaced;
      const auto present = verified_lookup(*old, canonical, blobs_, trust_).entry;
      auto entry = change(present);
      // What came from elsewhere has passed what this machine asks for; what was added is its own.
      if (entry && present && entry->metadata.made_elsewhere && !entry->metadata.signature)
        entry->metadata.made_elsewhere = !trust_.required();
      if (process_ != ::getpid()) {
        // SQLite's own notes, copied into this child, say that the lock on the file is held.
        given_up_ = "the process was forked inside an update";
        return tl::unexpected(Failure{Trouble::refused, given_up_});
      }
      if (entry) checked = check_sizes(canonical, entry->metadata);
      if (!entry || !checked) return database.commit();
      RowHead head = head_of(kind, key, entry->metadata, entry->content);
      trust_.sign_local_entry(head, canonical, entry->content);
      written = head.blob;
      std::optional<AtomicFile> staged;
      if (auto named = name_blob(database, head, entry->content, staged); !named) return named;
      auto stored =
          database.store(head, canonical, head.blob ? ByteView() : ByteView(entry->content));
      return stored ? database.commit() : stored;
    };
    auto done = on_database(Access::write, work);
    if (done && replaced != written) drop_if_unused(replaced);
    if (done && limit_ != 0) keep_within_limit();
    return done ? checked : done;
  });
}

Attempt<void> LocalStore::name_blob(Database& database, const RowHead& head, ByteView content,
                                    std::optional<AtomicFile>& staged) const {
  if (!head.blob) return {};
  const auto known = database.refers_to(*head.blob);
  if (!known) return tl::unexpected(known.error());
  if (!*known) {
    const auto counted = database.add_file_bytes(static_cast<std::int64_t>(head.size));
    if (!counted) return counted;
  }
  if (!staged) {
    auto file = blobs_.stage(*head.blob, content);
    if (!file) return tl::unexpected(Failure{Trouble::refused, file.error().message()});
    staged.emplace(*std::move(file));
  }
  const auto named = staged->commit();
  staged.reset();
  if (named) return {};
  // The whole folder may have been removed since the file was written: begin again in a new one.
  const bool gone = named.error().code() == Errc::not_found;
  return tl::unexpected(Failure{gone ? Trouble::moved : Trouble::refused, named.error().message()});
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

Expected<void> LocalStore::on_database(Access access, const Work& work) {
  const Occupied occupied(*this);
  if (!occupied) return fail(Errc::internal, "store used from inside its own update");
  Failure failure{Trouble::refused, {}};
  for (int tried = 0; tried < most_tries; ++tried) {
    Attempt<void> result = make_ready(access, patience_ns);
    try {
      if (result) result = work(*database_);
    } catch (const std::exception& problem) {
      result = tl::unexpected(Failure{Trouble::refused, problem.what()});
    }
    if (result) return {};
    failure = std::move(result).error();
    if (database_ && process_ == ::getpid()) database_->roll_back();
    if (failure.trouble == Trouble::damaged) {
      if (auto anew = begin_anew(failure); !anew) return tl::unexpected(error_of(anew.error()));
    } else {
      // Whatever the system refused may be mended by the next call; a new connection finds out.
      if (failure.trouble != Trouble::busy) drop_connection();
      if (failure.trouble != Trouble::moved) break;
    }
  }
  return tl::unexpected(error_of(failure));
}

sqlite::Attempt<void> LocalStore::make_ready(Access access, std::int64_t patience) {
  if (!given_up_.empty()) return tl::unexpected(Failure{Trouble::refused, given_up_});
  if (database_ && (process_ != ::getpid() || database_->moved())) drop_connection();
  // A look-up before anything was kept leaves a connection to nothing: the folder is absent still.
  if (database_ && access == Access::write && database_->empty()) drop_connection();
  const bool fresh = !database_;
  if (fresh) {
    const auto use = access == Access::write ? FolderUse::make : FolderUse::look;
    if (auto checked = check_owner(use); !checked) return checked;
    database_ = std::make_unique<Database>();
    process_ = ::getpid();
  }
  auto opened = database_->open(database_path(), access, now_ns() + patience);
  if (!opened || !fresh) return opened;
  // Once more: the folder may have been exchanged between the check and the opening.
  if (auto checked = check_owner(FolderUse::look); !checked) return checked;
  if (database_->moved())
    return tl::unexpected(Failure{Trouble::moved, "its database was replaced while it was opened"});
  return {};
}

sqlite::Attempt<void> LocalStore::check_owner(FolderUse use) const {
  const auto folder = check_store_folder(folder_, use);
  if (!folder) return tl::unexpected(Failure{Trouble::refused, folder.error().message()});
  if (auto files = check_store_files(folder_); !files)
    return tl::unexpected(Failure{Trouble::refused, files.error().message()});
  return {};
}

void LocalStore::write_uses() {
  const auto uses = uses_.take();
  if (uses.empty()) return;
  const Occupied occupied(*this);
  // An empty or absent database has nothing that could have been used: the folder was removed.
  if (!occupied || ::access(database_path().c_str(), W_OK) != 0) return;
  // Nothing here is worth a wait, a line in the log or a repair: what is wrong will be found by a
  // call that needs the store.
  Attempt<void> done;
  try {
    done = make_ready(Access::write, brief_patience_ns);
    if (done) done = database_->begin();
    if (done) done = database_->add(uses);
    if (done) done = database_->commit();
  } catch (const std::exception&) {
    done = tl::unexpected(Failure{Trouble::refused, {}});
  }
  if (done) return;
  if (database_ && process_ == ::getpid()) database_->roll_back();
  drop_connection();
}

sqlite::Attempt<void> LocalStore::begin_anew(const Failure& damage) {
  const auto name = set_aside(database_path(), [&] { return !database_->moved(); });
  drop_connection();
  if (!name)
    return tl::unexpected(
        Failure{Trouble::refused, fmt::format("its database is damaged ({}), and {}",
                                              damage.message, name.error().message())});
  if (name->empty()) return {};  // another process has just done it
  // Damage again and again is a bad disk: piling up databases would not help.
  if (!set_aside_.empty()) given_up_ = "its database was damaged a second time";
  set_aside_ = *name;
  log(LogLevel::warning, fmt::format("the store's database in {} was damaged ({}); it is kept as "
                                     "{}, and the store begins anew",
                                     folder_, damage.message, *name));
  return {};
}

Error LocalStore::error_of(const Failure& failure) {
  if (failure.trouble == Trouble::busy) return {Errc::timeout, "store busy: " + failure.message};
  auto told = fmt::format("the store in {} is unusable: {}", folder_, failure.message);
  if (tells_ == Tells::caller) return {Errc::io, std::move(told)};
  if (!logged_.exchange(true)) log(LogLevel::warning, told);
  return {Errc::io, "store unusable: " + failure.message};
}

}  // namespace kiln
