#pragma once

#include <filesystem>
#include <string>

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

/// Reads a whole regular file of at most `limit` bytes. Refuses folders and devices.
Expected<Bytes> read_file(const std::filesystem::path& path, std::uint64_t limit = 1ull << 32);
Expected<std::string> read_text(const std::filesystem::path& path, std::uint64_t limit = 1u << 30);

/// A file that appears whole or not at all: written aside in the same folder, then renamed by
/// commit(). Without commit() nothing is left.
class AtomicFile {
 public:
  static Expected<AtomicFile> create(const std::filesystem::path& target, unsigned mode = 0644);
  AtomicFile(AtomicFile&&) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Expected<void> write(ByteView bytes);
  /// Renames into place; with Durability::disk the bytes and the name have reached the disk.
  enum class Durability { none, disk };
  Expected<void> commit(Durability durability = Durability::none);

 private:
  AtomicFile() = default;
  FileDescriptor fd_;
  std::filesystem::path target_, temporary_;
};

/// Writes a whole file through AtomicFile.
Expected<void> write_file(const std::filesystem::path& path, ByteView bytes, unsigned mode = 0644);

/// A new private folder below the system's temporary folder, removed with all it holds.
class TemporaryFolder {
 public:
  static Expected<TemporaryFolder> create(std::string_view prefix = "kiln");
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder() = default;
  std::filesystem::path path_;
};

/// "cannot open /x/y: Permission denied", from errno.
Error io_error(std::string_view action, const std::filesystem::path& path, int error_number);

}  // namespace kiln
