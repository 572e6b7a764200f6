#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/os/file.hpp"

namespace kiln {

/// Writes files that an archive names below one folder, and nowhere else: whatever the names are,
/// and whatever lies in the folder already. Every step is taken relative to an open folder and
/// follows no symbolic link, so that a link which stands there, or is put there meanwhile, leads
/// nowhere. Each file is written aside and renamed. Not thread-safe.
class ExtractTree {
 public:
  struct Limits {
    std::uint64_t files = 100'000;                 ///< as many at most
    std::uint64_t bytes = std::uint64_t{4} << 30;  ///< of contents in all
  };

  /// Opens the folder, making it (not its parents) where it is absent. Links in `folder` itself
  /// are the caller's choice and are followed.
  static Expected<ExtractTree> open(const std::filesystem::path& folder, Limits limits);
  static Expected<ExtractTree> open(const std::filesystem::path& folder) {
    return open(folder, Limits());
  }

  /// Writes a file at a relative path (`a/b.so`), making the folders on the way. What stands there
  /// is replaced, a symbolic link by the file itself. Errors: a path that path_problem refuses, a
  /// link or a file where a folder is needed, a folder in the file's place, a limit that is
  /// exceeded (refused), what the system says.
  Expected<void> write(std::string_view path, ByteView content);

  std::uint64_t files() const { return files_; }
  std::uint64_t bytes() const { return bytes_; }

  /// Why a path may not be extracted: it is empty or absolute, a component is empty, `.`, `..`,
  /// above 255 bytes or holds a backslash or a control character, it has more than 64 components;
  /// null where it may.
  static const char* path_problem(std::string_view path);

 private:
  ExtractTree() = default;
  FileDescriptor open_folder_of(std::string_view path) const;

  FileDescriptor root_;
  std::filesystem::path folder_;
  Limits limits_;
  std::uint64_t files_ = 0, bytes_ = 0;
};

}  // namespace kiln
