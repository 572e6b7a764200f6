#include "store/folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/file.hpp"

namespace kiln {
namespace {

/// Makes a folder and its absent parents. Another process may be doing the same.
Expected<void> make_folder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno == ENOENT && folder.has_parent_path() && folder.parent_path() != folder) {
    if (auto made = make_folder(folder.parent_path()); !made) return made;
    if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  }
  return tl::unexpected(io_error("make the folder", folder, errno));
}

}  // namespace

Expected<bool> check_store_folder(const std::string& folder, FolderUse use) {
  if (folder.empty()) return fail(Errc::not_found, "no folder is set");
  if (folder.find('\0') != std::string::npos)
    return fail(Errc::bad_input, "the folder's name holds a zero byte");
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno != ENOENT) return tl::unexpected(io_error("use", folder, errno));
    if (use == FolderUse::look) return false;
    if (auto made = make_folder(folder); !made) return tl::unexpected(made.error());
    if (::stat(folder.c_str(), &status) != 0) return tl::unexpected(io_error("use", folder, errno));
  }
  if (!S_ISDIR(status.st_mode)) return fail(Errc::io, folder + " is not a folder");
  if (status.st_uid != ::geteuid())
    return fail(Errc::io, folder + " belongs to another user (id " + std::to_string(status.st_uid) +
                              ", not " + std::to_string(::geteuid()) + ")");
  if ((status.st_mode & S_IWOTH) != 0)
    return fail(Errc::io, folder + " can be written by every user");
  return true;
}

}  // namespace kiln
