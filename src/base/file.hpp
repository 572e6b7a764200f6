#pragma once

#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// Reads a whole regular file of at most `limit` bytes. Errors: not_found, io; bad_input for a
/// folder, a device, a pipe and a file that is larger. (A user's input may be a pipe: read_input.)
Expected<Bytes> read_file(const std::filesystem::path& path, std::uint64_t limit = 1ull << 32);
Expected<std::string> read_text(const std::filesystem::path& path, std::uint64_t limit = 1u << 30);

/// A file that appears whole or not at all: written aside in the same folder, then renamed by
/// commit(). Without commit() nothing is left; where the file system can hold files without a name,
/// not even of a process that is killed.
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
  bool name_aside();
  FileDescriptor fd_;
  std::filesystem::path target_, temporary_;  ///< temporary_: empty while it has no name
};

/// Writes a whole file through AtomicFile; a device or a pipe that stands there is written into.
Expected<void> write_file(const std::filesystem::path& path, ByteView bytes, unsigned mode = 0644);

/// Writes a file that must not be there yet, not even as a link that leads nowhere: what another
/// process puts there meanwhile stays as it is. A failure leaves no file. Errors: bad_input where
/// something has the name, not_found, io.
Expected<void> write_new_file(const std::filesystem::path& path, ByteView bytes,
                              unsigned mode = 0644);

/// Gives a file the first free of the names PATH.1, PATH.2, … and returns it: the file is out of
/// the way, and no other file is overwritten. Errors: io, not_found.
Expected<std::filesystem::path> rename_aside(const std::filesystem::path& path);

/// A new private folder below the system's temporary folder, removed with all it holds.
class TemporaryFolder {
 public:
  /// In TMPDIR, else in `otherwise`, else in /tmp.
  static Expected<TemporaryFolder> create(std::string_view prefix = "kiln",
                                          const std::filesystem::path& otherwise = {});
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder() = default;
  std::filesystem::path path_;
};

}  // namespace kiln
