#include "store/set_aside.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/file.hpp"

namespace kiln {
namespace {

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

}  // namespace

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

}  // namespace kiln
