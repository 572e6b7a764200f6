#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>

#include "base/os/file.hpp"
#include "kiln/error.hpp"

namespace kiln::tune {

/// What only one tuner of a machine holds at a time: two that measure at once measure one another.
/// A lock (flock) on a file of the user's, which the system gives back when a process dies. Not
/// thread-safe.
class MachineLock {
 public:
  /// The file that all tuners of this user share: tuner.lock in runtime_folder(). Errors: as there;
  /// io; refused where the file is another user's.
  static Expected<MachineLock> open();
  /// Errors: io; refused where it is no regular file of this user.
  static Expected<MachineLock> open(const std::filesystem::path& path);

  /// Whether it is held now. Does not wait.
  bool try_lock();

  /// How a wait has ended: with the lock, at its bound, or because `go_on` said so.
  enum class Waited : std::uint8_t { locked, late, stopped };
  /// Waits in line for it until `until`; asks `go_on` several times a second. Forks while another
  /// process has it, so the caller must have no threads.
  Waited wait(std::chrono::steady_clock::time_point until, const std::function<bool()>& go_on);

  /// The process that has it, or had it last; 0 where that is not known.
  pid_t holder() const;
  void unlock();

 private:
  explicit MachineLock(FileDescriptor file) : file_(std::move(file)) {}
  void sign();
  FileDescriptor file_;
};

}  // namespace kiln::tune
