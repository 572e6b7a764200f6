// The local store's connection: opened when needed, given up when damaged, closed over fork().

#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "store/folder.hpp"
#include "store/local_store.hpp"
#include "store/set_aside.hpp"

namespace kiln {

using sqlite::Failure;
using sqlite::Trouble;

namespace {

// How long a call waits for other processes before it is a miss.
constexpr std::int64_t patience_ns = 2'000'000'000;
// How long the end of a process may wait to write statistics.
constexpr std::int64_t brief_patience_ns = 10'000'000;
// The first try, one after damage, one after the file was renamed meanwhile.
constexpr int most_tries = 3;

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
  // Once more: where somebody could exchange the folder, what was opened is not what was checked.
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
