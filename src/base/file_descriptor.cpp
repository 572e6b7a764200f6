#include "base/file_descriptor.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

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
  const Errc code = error_number == ENOENT || error_number == ENOTDIR ? Errc::not_found : Errc::io;
  return {code, "cannot " + std::string(action) + " " + path.string() + ": " +
                    std::generic_category().message(error_number)};
}

}  // namespace kiln
