#pragma once

#include "base/os/file.hpp"

namespace kiln::tune {

/// The folder of one search, "kiln-tune-" and six letters in the temporary folder, with a "lock"
/// that this process and its children hold for as long as one of them lives. It is removed with
/// this object, or by the next search where all of them were killed.
class ScratchFolder {
 public:
  /// Removes what killed searches of this user left next to it. Errors: io.
  static Expected<ScratchFolder> create();

  /// Where the search's own files belong.
  std::filesystem::path path() const { return folder_.path() / "programs"; }

 private:
  ScratchFolder(FileDescriptor lock, TemporaryFolder folder)
      : lock_(std::move(lock)), folder_(std::move(folder)) {}
  FileDescriptor lock_;  // released when the folder is gone
  TemporaryFolder folder_;
};

/// Removes the folders of searches in `parent` that are this user's and that no process holds; all
/// else, and what cannot be removed, stays. Links are not followed.
void remove_left_scratch(const std::filesystem::path& parent);

}  // namespace kiln::tune
