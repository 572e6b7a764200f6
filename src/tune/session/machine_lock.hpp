#pragma once

#include "base/file_descriptor.hpp"
#include "kiln/error.hpp"

namespace kiln::tune {

/// What only one tuner of a machine holds at a time: two that measure at once measure one another.
/// A lock (flock) on a file of the user's, which the system gives back when a process dies. Not
/// thread-safe.
class MachineLock {
 public:
  /// The file that all tuners of this user share: kiln-tuner.lock in $XDG_RUNTIME_DIR, or
  /// kiln-tuner-UID.lock in /tmp. Errors: io.
  static Expected<MachineLock> open();
  /// Errors: io.
  static Expected<MachineLock> open(const std::filesystem::path& path);

  /// Whether it is held now. Does not wait.
  bool try_lock();
  /// Waits for it. False where a signal came meanwhile.
  bool lock();
  void unlock();

 private:
  explicit MachineLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace kiln::tune
