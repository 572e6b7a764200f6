#include "base/os/ownership.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <deque>
#include <filesystem>

namespace kiln {
namespace {

namespace fs = std::filesystem;

bool is_open_to_all(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
}

}  // namespace

std::string written_by_others(const std::string& path, const struct stat& status, FileOwner owner) {
  const bool roots = owner == FileOwner::user_or_root;
  if (status.st_uid != ::geteuid() && !(roots && status.st_uid == 0))
    return roots ? fmt::format("{} belongs to user {}, neither root nor this one", path,
                               status.st_uid)
                 : fmt::format("{} belongs to another user (id {}, not {})", path, status.st_uid,
                               ::geteuid());
  if ((status.st_mode & (S_IWOTH | S_IWGRP)) == 0) return "";
  const char* who = roots                             ? "others than its owner"
                    : (status.st_mode & S_IWOTH) != 0 ? "every user"
                                                      : "its group";
  return fmt::format(
      "{} can be written by {} (mode {:04o}); expected its owner alone: chmod go-w {}", path, who,
      status.st_mode & 07777, path);
}

std::string replaceable_by_others(const std::string& path) {
  // Name by name, as the system finds the path: who may replace a link on the way decides as well.
  constexpr int most_links = 40;
  std::error_code error;
  const fs::path given = fs::absolute(path, error);
  if (error) return path + ": " + error.message();
  std::deque<fs::path> names(given.begin(), given.end());
  fs::path folder = "/";
  for (int links = 0; !names.empty();) {
    const fs::path name = std::move(names.front());
    names.pop_front();
    if (name.empty() || name == "/" || name == ".") continue;
    if (name == "..") {
      folder = folder.parent_path();
      continue;
    }
    if (is_open_to_all(folder))
      return fmt::format(
          "every user may replace {}: {} can be written by every user and has no sticky bit "
          "(chmod +t or o-w)",
          path, folder.string());
    const fs::path at = folder / name;
    struct stat status {};
    if (::lstat(at.c_str(), &status) != 0) return "";  // it and all below are still to be made
    if (!S_ISLNK(status.st_mode)) {
      folder = at;
      continue;
    }
    if (status.st_uid != ::geteuid() && status.st_uid != 0)
      return fmt::format("user {} may replace {}: the link {} on the way to it is that user's",
                         status.st_uid, path, at.string());
    const fs::path target = fs::read_symlink(at, error);
    if (error || ++links > most_links)
      return fmt::format("{}: cannot follow the link {}", path, at.string());
    if (target.is_absolute()) folder = "/";
    names.insert(names.begin(), target.begin(), target.end());
  }
  return "";
}

}  // namespace kiln
