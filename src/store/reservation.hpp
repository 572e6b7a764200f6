#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/file.hpp"
#include "store/canonical.hpp"

namespace kiln {

/// The right to make what a Key stands for, held by one process of this machine at a time: others
/// wait for it, so that fifty processes that start together compile once. It is the lock on a file,
/// which the system drops when its holder dies, however it dies. Advice, no more: whoever waits
/// longer than its bound goes on without it, and two makers do no harm.
///
/// Released by the destructor, in any thread. Not held over fork(): a child
/// that lives on keeps it, and others wait out their bound.
class Reservation {
 public:
  /// Waits at most `bound`. Where the folder cannot hold locks (absent, read-only, full) or the
  /// bound is over, nothing is held.
  static Reservation acquire(const std::string& store_folder, const Key& key,
                             std::chrono::milliseconds bound);

  /// Removes what makers that died have left behind. Returns how many files that were.
  static std::uint64_t collect(const std::string& store_folder);

  Reservation() = default;
  Reservation(Reservation&& other) noexcept = default;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  bool held() const { return static_cast<bool>(file_); }
  /// Whether another process had it first: then what it made may be in the store by now.
  bool waited() const { return waited_; }

 private:
  FileDescriptor file_;
  std::string path_;
  bool waited_ = false;
};

}  // namespace kiln
