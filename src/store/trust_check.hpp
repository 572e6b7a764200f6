#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "store/row.hpp"
#include "store/trust.hpp"

namespace kiln {

/// Whether entries of a store may be used by this machine: those that were made elsewhere need what
/// Trust asks for. The list is read when the first such entry is met. Thread-safe.
class TrustCheck {
 public:
  TrustCheck() = default;
  explicit TrustCheck(Trust trust) : trust_(std::move(trust)) {}

  /// Empty: it may. The row's content is verified against its checksum already.
  std::string refusal(const RowHead& head, ByteView canonical, ByteView content);
  /// Whether there is a list of keys.
  bool required();

  /// Around a fork(): the child must not find the lock held by a thread that it does not have.
  void before_fork() { mutex_.lock(); }
  void after_fork() { mutex_.unlock(); }

 private:
  const Trust& trust();
  std::mutex mutex_;
  std::optional<Trust> trust_;
};

}  // namespace kiln
