#include "store/layer/layer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "base/os/environment.hpp"
#include "store/trust/guarded_files.hpp"

namespace kiln {

std::string Layer::near_miss(Kind, ByteView) { return {}; }

Reservation Layer::reserve(const Key&, std::chrono::milliseconds) { return {}; }

constexpr const char* kind_names[] = {"unknown", "artifact", "plan", "record"};

const char* name_of(Kind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return kind_names[index < std::size(kind_names) ? index : 0];
}

std::optional<EntryKind> kind_named(std::string_view name) {
  const auto found = std::find(std::begin(kind_names) + 1, std::end(kind_names), name);
  if (found == std::end(kind_names)) return std::nullopt;
  return static_cast<EntryKind>(found - std::begin(kind_names));
}

StoreLocation default_store_location() {
  if (const auto own = environment("KILN_STORE"); !own.empty())
    return {own == "off" ? "" : own, "KILN_STORE"};
  const auto folder = user_folder(UserFolder::cache);
  if (folder.empty()) return {"", "no home folder"};
  return {folder.string(), variable_of(UserFolder::cache)};
}

// Reservations.

namespace {

using Clock = std::chrono::steady_clock;

/// Whether the path still names this file: its last holder removes it.
bool still_named(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

std::string folder_of(const std::string& store_folder) { return store_folder + "/making"; }

}  // namespace

Reservation Reservation::acquire(const std::string& store_folder, const Key& key,
                                 std::chrono::milliseconds bound) {
  Reservation reservation;
  const auto end = Clock::now() + bound;
  const std::string folder = folder_of(store_folder);
  if (!check_store_folder(store_folder, FolderUse::make) ||
      !check_store_folder(folder, FolderUse::make))
    return reservation;
  reservation.path_ = folder + "/" + key.hex();
  for (auto pause = std::chrono::microseconds(500);;) {
    FileDescriptor file(
        ::open(reservation.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return reservation;
    const bool locked = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    if (!locked && errno != EWOULDBLOCK && errno != EINTR) return reservation;  // no locks here
    if (locked && still_named(file.get(), reservation.path_)) {
      reservation.file_ = std::move(file);
      return reservation;
    }
    reservation.waited_ = true;
    if (Clock::now() >= end) return reservation;
    if (locked) continue;  // its holder has just removed it: take the one that stands there now
    // A compile takes hundreds of milliseconds; the winner is noticed within a fiftieth of that.
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(8000));
  }
}

std::uint64_t Reservation::collect(const std::string& store_folder) {
  std::uint64_t removed = 0;
  std::error_code error;
  const std::filesystem::path folder = folder_of(store_folder);
  // Not what a link leads to, nor a file of another name: those are not reservations.
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(folder, error))) return 0;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    Digest key;
    if (!parse_digest(entry->path().filename().string(), key)) continue;
    const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    // Removed while it is held, as its holder does: a process that waits for it takes a new one.
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && still_named(file.get(), path))
      removed += ::unlink(path.c_str()) == 0;
  }
  return removed;
}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  Reservation released(std::move(*this));
  file_ = std::move(other.file_);
  path_ = std::move(other.path_);
  waited_ = other.waited_;
  return *this;
}

Reservation::~Reservation() {
  if (file_) ::unlink(path_.c_str());  // while it is held: no other process's file is removed
}

}  // namespace kiln
