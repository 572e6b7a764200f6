#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/data/bytes.hpp"
#include "kiln/error.hpp"

/// Files: read whole, written whole or not at all, and what users name as inputs and outputs and is
/// no regular file (pipes, standard input and output).
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

/// Reads until `into` is full or the file ends, and gives the number of bytes. `path` is only named
/// in the error.
Expected<std::size_t> read_all(int fd, std::span<std::byte> into,
                               const std::filesystem::path& path);

/// "cannot open /x/y: Permission denied", from errno: not_found where the path leads nowhere, else
/// io.
Error io_error(std::string_view action, const std::filesystem::path& path, int error_number);

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

  /// Whether a file of this name was being written: one that is old was left by a killed process.
  static bool is_unfinished(std::string_view name);

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

/// Whether an exclusive lock (flock) of an open file was had within `patience`: the process that
/// holds it may be stopped. It goes with the descriptor.
bool lock_file(int fd, std::chrono::milliseconds patience);

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

/// The number behind /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N: a
/// descriptor of this process, which is no name in a folder. Nothing for any other path.
std::optional<int> descriptor_named_by(const std::filesystem::path& path);

/// The folder that relative names in an input start from: the file's own, or the current one
/// (empty) for standard input.
std::filesystem::path folder_of_input(const std::filesystem::path& path);

/// Reads what a user names as an input: a regular file, or a pipe (`<(zcat x.gz)`, /dev/stdin) up
/// to its end, of at most `limit` bytes. A larger file is refused before anything is read, so that
/// a sparse one takes no memory. Errors (one line with the path): a folder or a device, too large,
/// absent, not permitted. Thread-safe.
Expected<Bytes> read_input(const std::filesystem::path& path, std::uint64_t limit);

/// Writes what a program says is its standard output.
using OutputWriter = std::function<Expected<void>(ByteView)>;

/// For a program that moved its standard output away from descriptor 1: what write_file() writes to
/// files with that name (/dev/stdout, /dev/fd/1, /proc/self/fd/1) goes through `write`. An empty
/// one undoes it. To be called while there is one thread.
void set_standard_output(OutputWriter write);

/// Writes to a descriptor of this process, to standard output through set_standard_output()'s
/// writer; the path is for messages. Errors: io.
Expected<void> write_descriptor(int number, ByteView bytes, const std::filesystem::path& path);

}  // namespace kiln
