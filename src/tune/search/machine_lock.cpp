#include "tune/search/machine_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>

#include "base/os/environment.hpp"
#include "tune/worker/child.hpp"

namespace kiln::tune {
namespace {

/// How often a wait looks whether it is to go on.
constexpr std::chrono::milliseconds look_again{100};

}  // namespace

Expected<MachineLock> MachineLock::open() {
  const auto folder = runtime_folder();
  if (!folder) return tl::unexpected(folder.error());
  return open(*folder / "tuner.lock");
}

Expected<MachineLock> MachineLock::open(const std::filesystem::path& path) {
  FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file) return tl::unexpected(io_error("open", path, errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return tl::unexpected(io_error("look at", path, errno));
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    return fail(Errc::refused, path.string() + ": expected a regular file of this user");
  return MachineLock(std::move(file));
}

bool MachineLock::try_lock() {
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) return false;
  sign();
  return true;
}

/// Puts this process's number into the file, so that a tuner which waits can say for which process.
void MachineLock::sign() {
  std::string text = std::to_string(::getpid());
  text.resize(16, '\n');
  // What cannot be written is not said.
  [[maybe_unused]] const auto written = ::pwrite(file_.get(), text.data(), text.size(), 0);
}

pid_t MachineLock::holder() const {
  char text[16];
  const ssize_t size = ::pread(file_.get(), text, sizeof text, 0);
  pid_t pid = 0;
  if (size > 0) std::from_chars(text, text + size, pid);
  return pid;
}

MachineLock::Waited MachineLock::wait(std::chrono::steady_clock::time_point until,
                                      const std::function<bool()>& go_on) {
  if (try_lock()) return Waited::locked;
  // flock() has no time limit, and polling never gets a lock that another tuner releases only for
  // moments. So a child waits in line: the lock is the open file's, which both have,
  // and stays when the child ends.
  Child waiting;
  const auto wait_in_line = [file = file_.get()](int channel) {
    const char locked = ::flock(file, LOCK_EX) == 0 ? 1 : 0;
    send_all(channel, &locked, 1);
  };
  if (!waiting.start(wait_in_line)) return Waited::late;
  Waited ended = Waited::late;
  while (true) {
    char locked = 0;
    const auto now = std::chrono::steady_clock::now();
    const auto received =
        receive_all(waiting.channel(), &locked, 1, std::min(until, now + look_again));
    if (received == Received::whole && locked == 1) {
      sign();
      return Waited::locked;
    }
    if (received != Received::late) break;
    if (!go_on()) {
      ended = Waited::stopped;
      break;
    }
    if (now >= until) break;
  }
  waiting.stop();
  unlock();  // the child may have got it just before it was ended
  return ended;
}

void MachineLock::unlock() { ::flock(file_.get(), LOCK_UN); }

}  // namespace kiln::tune
