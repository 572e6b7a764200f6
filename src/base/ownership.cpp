#include "base/ownership.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace kiln {
namespace {

namespace fs = std::filesystem;

bool is_open_to_all(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0;
}

/// The nearest of the folders above a path.
std::string open_folder_above(const fs::path& path) {
  for (fs::path at = path; at.has_parent_path() && at.parent_path() != at;) {
    at = at.parent_path();
    if (is_open_to_all(at)) return at.string();
  }
  return "";
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
      "{} can be written by {} (mode {:04o}); expected nobody but its owner: "
      "chmod go-w {}",
      path, who, status.st_mode & 07777, path);
}

std::string replaceable_by_anybody(const std::string& path) {
  std::error_code error;
  const fs::path given = fs::absolute(path, error).lexically_normal();
  if (error) return "";
  if (auto open = open_folder_above(given); !open.empty()) return open;
  const fs::path resolved = fs::weakly_canonical(given, error);
  return error || resolved == given ? "" : open_folder_above(resolved);
}

}  // namespace kiln
