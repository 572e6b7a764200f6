#include "store/local/system_store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "store/trust/guarded_files.hpp"

namespace kiln {
namespace {

using sqlite::Failure;
using sqlite::Trouble;

constexpr std::int64_t shipped_patience_ns = 50'000'000;

}  // namespace

SystemStore::SystemStore(std::string folder)
    : folder_(std::move(folder)), blobs_(folder_, FileOwner::user_or_root) {
  watch();
}

SystemStore::~SystemStore() {
  {
    const std::lock_guard lock(mutex_);
    drop_connection();
  }
  unwatch();
}

void SystemStore::drop_connection() {
  if (database_ && process_ != ::getpid())
    (void)database_.release();  // the parent's: not ours to close
  else
    database_.reset();
}

void SystemStore::rest() {
  const std::lock_guard lock(mutex_);
  drop_connection();
}

void SystemStore::before_fork() {
  mutex_.lock();
  trust_.before_fork();
  drop_connection();
}
void SystemStore::after_fork() {
  trust_.after_fork();
  mutex_.unlock();
}

void SystemStore::make_ready() {
  if (!given_up_.empty()) throw Failure(Trouble::refused, given_up_);
  if (database_ && process_ != ::getpid()) drop_connection();
  const std::string file = folder_ + "/store.db";
  if (!database_) {
    constexpr auto owner = FileOwner::user_or_root;
    const auto checked = check_store_folder(folder_, FolderUse::look, owner).and_then([&](bool) {
      return check_store_files(folder_, owner);
    });
    if (!checked) throw Failure(Trouble::refused, checked.error().message());
    struct stat status {};
    trust_.set_owner_trusted(::stat(file.c_str(), &status) == 0 && status.st_uid == 0);
    database_ = std::make_unique<Database>();
    process_ = ::getpid();
  }
  database_->open(file, Database::Access::shipped, now_ns() + shipped_patience_ns);
}

Lookup SystemStore::get(Kind kind, const Key& key, ByteView canonical) {
  try {
    auto found = find(kind, key);
    return verified_lookup(found, canonical, blobs_, trust_);
  } catch (const std::exception& problem) {
    return {{}, problem.what()};
  }
}

Database::Found SystemStore::find(Kind kind, const Key& key) {
  const std::lock_guard lock(mutex_);
  try {
    make_ready();
    return database_->find(kind, key);
  } catch (const Failure& failure) {
    // What a package has shipped does not heal: it is asked once a process.
    if (given_up_.empty())
      log(LogLevel::warning,
          fmt::format("the system store in {} is not used: {}", folder_, failure.message));
    given_up_ = failure.message;
    drop_connection();
    throw;
  }
}

Expected<void> SystemStore::put(Kind, const Key&, ByteView, ByteView, const Metadata&) {
  return fail(Errc::unsupported, "the system store is read-only");
}
Expected<void> SystemStore::update(Kind, const Key&, ByteView, const Change&) {
  return fail(Errc::unsupported, "the system store is read-only");
}

}  // namespace kiln
