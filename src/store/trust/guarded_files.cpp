#include "store/trust/guarded_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/os/file.hpp"

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

/// Of a file that is open, so that no other can take its place after the check.
Expected<void> check_rights(const std::string& path, const struct stat& status, Guard guard) {
  if (status.st_uid != 0 && status.st_uid != ::geteuid())
    return fail(Errc::refused, fmt::format("{} belongs to user {}, neither root nor this one", path,
                                           status.st_uid));
  const mode_t mode = status.st_mode & 0777;
  if (guard == Guard::unread && (mode & 077) != 0)
    return fail(Errc::refused,
                fmt::format("{} has mode {:04o}; only its owner may read it: chmod 600 {}", path,
                            mode, path));
  if ((mode & (S_IWGRP | S_IWOTH)) != 0)
    return fail(Errc::refused,
                fmt::format("{} has mode {:04o}; only its owner may write it: chmod 644 {}", path,
                            mode, path));
  if (auto why = replaceable_by_others(path); !why.empty())
    return fail(Errc::refused, std::move(why));
  return {};
}

struct FileSystem {
  unsigned long type;
  const char* name;
};
// Numbers of linux/magic.h and of the file systems' own sources.
constexpr std::array<FileSystem, 13> network_file_systems{{{0x6969, "NFS"},
                                                           {0xff534d42, "CIFS"},
                                                           {0xfe534d42, "SMB2"},
                                                           {0x517b, "SMB"},
                                                           {0x5346414f, "AFS"},
                                                           {0x6b414653, "kAFS"},
                                                           {0x73757245, "Coda"},
                                                           {0x0bd00bd0, "Lustre"},
                                                           {0x47504653, "GPFS"},
                                                           {0x00c36400, "Ceph"},
                                                           {0x19830326, "BeeGFS"},
                                                           {0xaad7aaea, "PanFS"},
                                                           {0x01021997, "9P"}}};

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

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

Expected<std::string> read_guarded(const std::string& path, Guard guard, std::size_t limit) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return tl::unexpected(io_error("open", path, errno));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return tl::unexpected(io_error("read", path, errno));
  if (!S_ISREG(status.st_mode)) return fail(Errc::bad_input, path + " is not a regular file");
  if (auto checked = check_rights(path, status, guard); !checked)
    return tl::unexpected(checked.error());
  if (static_cast<std::uint64_t>(status.st_size) > limit)
    return fail(Errc::bad_input,
                fmt::format("{} has {} bytes; at most {} are read", path, status.st_size, limit));
  // Sized once: a secret leaves no copies behind in buffers that were outgrown.
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const auto read = read_all(fd.get(), std::as_writable_bytes(std::span(text)), path);
  if (!read) return tl::unexpected(read.error());
  text.resize(*read);
  return text;
}

std::string network_file_system_of_type(long type) {
  // f_type is signed and 32 bits wide on some machines.
  const auto number = static_cast<unsigned long>(type) & 0xffffffffUL;
  for (const auto& known : network_file_systems)
    if (known.type == number) return known.name;
  return "";
}

std::string network_file_system(const std::string& folder) {
  std::error_code error;
  auto path = std::filesystem::absolute(folder, error);
  if (error) return "";
  struct statfs status {};
  while (::statfs(path.c_str(), &status) != 0) {
    if (!path.has_parent_path() || path.parent_path() == path) return "";
    path = path.parent_path();
  }
  return network_file_system_of_type(static_cast<long>(status.f_type));
}

std::string node_local_folder() {
  // Survives a restart of the machine, unlike /tmp.
  return "/var/tmp/kiln-" + std::to_string(::geteuid());
}

}  // namespace kiln
