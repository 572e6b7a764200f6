#include "base/user_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/file_descriptor.hpp"
#include "base/ownership.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

fs::path path_of_runtime_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  return runtime != nullptr && *runtime == '/'
             ? fs::path(runtime) / "kiln"
             : fs::path("/tmp/kiln-" + std::to_string(::geteuid()));
}

}  // namespace

Expected<fs::path> runtime_folder() {
  const fs::path folder = path_of_runtime_folder();
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected(io_error("make the folder", folder, errno));
  const auto refuse = [&](const std::string& why) {
    return fail(Errc::refused, folder.string() + ": " + why +
                                   ", expected a folder of this user with mode 0700; "
                                   "XDG_RUNTIME_DIR can name another place");
  };
  struct stat status {};
  // Not followed: a link could lead to a folder in which others hold a lock.
  if (::lstat(folder.c_str(), &status) != 0)
    return tl::unexpected(io_error("look at", folder, errno));
  if (S_ISLNK(status.st_mode)) return refuse("found a symbolic link");
  if (!S_ISDIR(status.st_mode)) return refuse("not a folder");
  if (status.st_uid != ::geteuid()) return refuse("found a folder of another user");
  if ((status.st_mode & 0077) != 0) return refuse("found a folder that is open to other users");
  if (const auto open = replaceable_by_anybody(folder.string()); !open.empty())
    return refuse("every user may replace it, because " + open +
                  " is writable for all without the sticky bit");
  return folder;
}

Expected<std::filesystem::path> rename_aside(const std::filesystem::path& path) {
  constexpr int most_names = 100'000;
  for (int number = 1; number <= most_names; ++number) {
    const std::filesystem::path aside = path.string() + "." + std::to_string(number);
    if (::renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, aside.c_str(), RENAME_NOREPLACE) == 0)
      return aside;
    // A file system that cannot do it in one step: a second name, which must be new, then the first
    // one goes.
    if (errno == EINVAL && ::link(path.c_str(), aside.c_str()) == 0) {
      if (::unlink(path.c_str()) == 0) return aside;
      return tl::unexpected(io_error("set aside", path, errno));
    }
    if (errno != EEXIST) return tl::unexpected(io_error("set aside", path, errno));
  }
  return fail(Errc::io, "cannot set aside " + path.string() + ": too many such files");
}

}  // namespace kiln
