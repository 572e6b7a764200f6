#include "tune/session/machine_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace kiln::tune {

Expected<MachineLock> MachineLock::open() {
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  return open(folder != nullptr && *folder == '/'
                  ? std::filesystem::path(folder) / "kiln-tuner.lock"
                  : std::filesystem::path(fmt::format("/tmp/kiln-tuner-{}.lock", ::getuid())));
}

Expected<MachineLock> MachineLock::open(const std::filesystem::path& path) {
  // No link is followed: /tmp is everybody's.
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return tl::unexpected(io_error("open", path, errno));
  return MachineLock(std::move(file));
}

bool MachineLock::try_lock() { return ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0; }
bool MachineLock::lock() { return ::flock(file_.get(), LOCK_EX) == 0; }
void MachineLock::unlock() { ::flock(file_.get(), LOCK_UN); }

}  // namespace kiln::tune
