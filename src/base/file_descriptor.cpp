#include "base/file_descriptor.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace kiln {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}
FileDescriptor::~FileDescriptor() { reset(); }
int FileDescriptor::release() { return std::exchange(fd_, -1); }
void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Expected<void> write_all(int fd, ByteView bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return tl::unexpected(io_error("write", path, errno));
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Error io_error(std::string_view action, const std::filesystem::path& path, int error_number) {
  const bool is_name_wrong =
      error_number == ENAMETOOLONG || error_number == EISDIR || error_number == ELOOP;
  const Errc code = error_number == ENOENT || error_number == ENOTDIR ? Errc::not_found
                    : is_name_wrong                                   ? Errc::bad_input
                                                                      : Errc::io;
  // A name may hold line feeds, and a message is one line.
  const std::string shown = path.empty() ? "''" : one_line(path.string());
  return {code, "cannot " + std::string(action) + " " + shown + ": " +
                    std::generic_category().message(error_number)};
}

}  // namespace kiln
