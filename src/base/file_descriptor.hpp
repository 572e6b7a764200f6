#pragma once

#include <filesystem>
#include <string_view>

#include "base/bytes.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// An open file descriptor that closes itself; always close-on-exec.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

/// Writes all of the bytes, in as many calls as the system wants. `path` is only named in the
/// error, which may leave a part written.
Expected<void> write_all(int fd, ByteView bytes, const std::filesystem::path& path);

/// "cannot open /x/y: Permission denied", from errno: not_found where the path leads nowhere, else
/// io.
Error io_error(std::string_view action, const std::filesystem::path& path, int error_number);

}  // namespace kiln
