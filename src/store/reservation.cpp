#include "store/reservation.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "store/folder.hpp"

namespace kiln {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether the path still names this file: its last holder removes it.
bool still_named(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace

Reservation Reservation::acquire(const std::string& store_folder, const Key& key,
                                 std::chrono::milliseconds bound) {
  Reservation reservation;
  const auto end = Clock::now() + bound;
  const std::string folder = store_folder + "/making";
  if (!check_store_folder(store_folder, FolderUse::make) ||
      !check_store_folder(folder, FolderUse::make))
    return reservation;
  reservation.path_ = folder + "/" + key.hex();
  for (auto pause = std::chrono::microseconds(500);;) {
    FileDescriptor file(
        ::open(reservation.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return reservation;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      if (still_named(file.get(), reservation.path_)) {
        reservation.file_ = std::move(file);
        return reservation;
      }
      continue;  // the holder has just removed it: take the one that stands there now
    }
    reservation.waited_ = true;
    if (Clock::now() >= end) return reservation;
    // A compile takes hundreds of milliseconds; the winner is noticed within a fiftieth of that.
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(8000));
  }
}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  Reservation released(std::move(*this));
  file_ = std::move(other.file_);
  path_ = std::move(other.path_);
  waited_ = other.waited_;
  return *this;
}

Reservation::~Reservation() {
  if (file_) ::unlink(path_.c_str());  // while it is held: nobody else's is removed
}

}  // namespace kiln
