#include "store/guarded_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.hpp"
#include "base/ownership.hpp"

namespace kiln {
namespace {

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

}  // namespace

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
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::read(fd.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(io_error("read", path, errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

}  // namespace kiln
