#include "store/redis/descriptors.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace kiln::redis {

int Descriptors::open_socket(int family) {
  const std::lock_guard lock(mutex_);
  const int descriptor = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor >= 0) open_.push_back(descriptor);
  return descriptor;
}

void Descriptors::close(int descriptor) {
  const std::lock_guard lock(mutex_);
  // By now the number may be somebody else's, where it is not in the list.
  if (std::erase(open_, descriptor) > 0) ::close(descriptor);
}

void Descriptors::close_all() {
  for (const int descriptor : open_) ::close(descriptor);
  open_.clear();
}

}  // namespace kiln::redis
