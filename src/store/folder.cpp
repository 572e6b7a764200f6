#include "store/folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

/// As given, and where its links lead: SQLite resolves them, and has a bound on the result.
Expected<void> check_length(const std::string& folder) {
  std::error_code error;
  const auto resolved = std::filesystem::weakly_canonical(folder, error);
  const std::size_t size =
      std::max(folder.size(), error ? std::size_t{0} : resolved.native().size());
  if (size <= longest_store_folder) return {};
  return fail(Errc::bad_input, fmt::format("its path has {} bytes; at most {} are supported", size,
                                           longest_store_folder));
}

}  // namespace

Expected<bool> check_store_folder(const std::string& folder, FolderUse use, FileOwner owner) {
  if (folder.empty()) return fail(Errc::not_found, "no folder is set");
  if (folder.find('\0') != std::string::npos)
    return fail(Errc::bad_input, "the folder's name holds a zero byte");
  if (auto checked = check_length(folder); !checked) return tl::unexpected(checked.error());
  if (auto why = replaceable_by_others(folder); !why.empty()) return fail(Errc::io, std::move(why));
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno != ENOENT) return tl::unexpected(io_error("use", folder, errno));
    if (use == FolderUse::look) return false;
    if (auto made = make_folder(folder); !made) return tl::unexpected(made.error());
    if (::stat(folder.c_str(), &status) != 0) return tl::unexpected(io_error("use", folder, errno));
  }
  if (!S_ISDIR(status.st_mode)) return fail(Errc::io, folder + " is not a folder");
  if (auto why = written_by_others(folder, status, owner); !why.empty())
    return fail(Errc::io, std::move(why));
  return true;
}

Expected<void> check_store_files(const std::string& folder, FileOwner owner) {
  // A journal is as good as the database: what it holds is written back into it.
  for (const char* name : {"/store.db", "/store.db-journal", "/store.db-wal", "/blobs"}) {
    const std::string path = folder + name;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) continue;
    if (auto why = written_by_others(path, status, owner); !why.empty())
      return fail(Errc::io, std::move(why));
  }
  return {};
}

}  // namespace kiln
