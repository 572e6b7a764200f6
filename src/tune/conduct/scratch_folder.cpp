// The folder that the processes of a search share, and what killed searches left of theirs.
#include "tune/conduct/scratch_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <vector>

namespace kiln::tune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "kiln-tune";
constexpr const char* lock_name = "lock";

/// "kiln-tune-" and the six letters and digits of mkdtemp.
bool is_scratch_name(std::string_view name) {
  if (name.size() != prefix.size() + 7 || !name.starts_with(prefix) || name[prefix.size()] != '-')
    return false;
  const auto is_alnum = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  return std::all_of(name.begin() + prefix.size() + 1, name.end(), is_alnum);
}

/// Takes the lock of a folder that is this user's and that no process holds; nothing for others.
FileDescriptor lock_of_left(const fs::path& folder) {
  const FileDescriptor inside(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat about {};
  if (!inside || ::fstat(inside.get(), &about) != 0 || about.st_uid != ::geteuid()) return {};
  FileDescriptor lock(
      ::openat(inside.get(), lock_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!lock || ::fstat(lock.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_uid != ::geteuid() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return {};
  // Another process may have removed the folder meanwhile, and the name may be a new search's.
  struct stat now {};
  if (::fstatat(AT_FDCWD, (folder / lock_name).c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0 ||
      now.st_ino != about.st_ino || now.st_dev != about.st_dev)
    return {};
  return lock;
}

}  // namespace

Expected<ScratchFolder> ScratchFolder::create() {
  auto folder = TemporaryFolder::create(prefix);
  if (!folder) return tl::unexpected(folder.error());
  remove_left_scratch(folder->path().parent_path());
  // Locked before it gets its name: others take a lock file that no process holds for a dead
  // search's.
  const fs::path unnamed = folder->path() / "new-lock", named = folder->path() / lock_name;
  FileDescriptor lock(::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!lock) return tl::unexpected(io_error("open", unnamed, errno));
  // On a file system without locks the file keeps its first name: without a file "lock" no other
  // search takes the folder for a dead one's.
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && ::rename(unnamed.c_str(), named.c_str()) != 0)
    return tl::unexpected(io_error("rename", unnamed, errno));
  ScratchFolder scratch(std::move(lock), *std::move(folder));
  if (::mkdir(scratch.path().c_str(), 0700) != 0)
    return tl::unexpected(io_error("make", scratch.path(), errno));
  return scratch;
}

void remove_left_scratch(const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error))
    if (is_scratch_name(entry->path().filename().string())) found.push_back(entry->path());
  for (const auto& folder : found)
    if (const FileDescriptor lock = lock_of_left(folder)) fs::remove_all(folder, error);
}

}  // namespace kiln::tune
