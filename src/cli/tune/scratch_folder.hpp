#pragma once

#include "base/file.hpp"

namespace kiln::cli {

/// The folder of one search, "kiln-tune-" and six letters in the temporary folder, with a "lock"
/// that this process and its children hold for as long as one of them lives. It goes with this
/// object; where all of them were killed, the next search removes it.
class ScratchFolder {
 public:
  /// Removes what killed searches of this user left beside it. Errors: io.
  static Expected<ScratchFolder> create();

  /// Where the search's own files belong.
  std::filesystem::path path() const { return folder_.path() / "programs"; }

 private:
  ScratchFolder(FileDescriptor lock, TemporaryFolder folder)
      : lock_(std::move(lock)), folder_(std::move(folder)) {}
  FileDescriptor lock_;  // released when the folder is gone
  TemporaryFolder folder_;
};

/// Removes the folders of searches in `parent` that are this user's and that no process holds; what
/// is anything else, or cannot be removed, stays. Links are not followed.
void remove_left_scratch(const std::filesystem::path& parent);

}  // namespace kiln::cli
