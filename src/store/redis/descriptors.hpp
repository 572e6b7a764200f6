#pragma once

#include <mutex>
#include <vector>

namespace kiln::redis {

/// The sockets that are open to a server, so that a forked child can close all of them, those too
/// that other threads of its parent were using. Thread-safe.
class Descriptors {
 public:
  /// A new stream socket that does not block, or -1 with errno.
  int open_socket(int family);
  /// Closes a socket of this object's; nothing where the child has closed it before.
  void close(int descriptor);

  /// Around fork(): nothing is opened or closed in between.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  /// While locked: closes all.
  void close_all();

 private:
  std::mutex mutex_;
  std::vector<int> open_;
};

}  // namespace kiln::redis
