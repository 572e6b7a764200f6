// The client's side: finds the server that fits this process, or starts one.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/digest.hpp"
#include "base/process.hpp"
#include "base/user_files.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/apart/server_message.hpp"
#include "store/fork_guard.hpp"

extern char** environ;

namespace kiln::apart {
namespace {

namespace fs = std::filesystem;

// What a job may take longer than its limit before the server is believed to be stuck.
constexpr int grace_ms = 5'000;

/// The servers that this process has started, by the pipes whose ends they wait for. They go when
/// the process does, however it ends: what it forks off holds none of the pipes.
class Children final : private ForkGuarded {
 public:
  Children() { watch(); }
  ~Children() override { unwatch(); }

  void add(ChildProcess server) {
    const std::lock_guard lock(mutex_);
    reap();
    servers_.push_back(std::move(server));
  }

 private:
  void before_fork() override { mutex_.lock(); }
  void after_fork() override {
    if (process_ != ::getpid()) servers_.clear();
    process_ = ::getpid();
    mutex_.unlock();
  }

  void reap() {
    std::erase_if(servers_, [](const ChildProcess& child) {
      int status = 0;
      return ::waitpid(child.pid, &status, WNOHANG) != 0;
    });
  }
  std::mutex mutex_;
  std::vector<ChildProcess> servers_;
  pid_t process_ = ::getpid();  ///< whose they are
};

Children& children() {
  static Children all;
  return all;
}

/// A folder of this user's for sockets; empty where there is none that is safe.
fs::path socket_folder() { return runtime_folder().value_or(fs::path()); }

bool matters(std::string_view entry) {
  // What every shell changes, and what only the library reads.
  for (const char* name : {"PWD=", "OLDPWD=", "SHLVL=", "_=", "KILN_"})
    if (entry.starts_with(name)) return false;
  return true;
}

/// Two processes share a server where a helper of their own would be the same: program, environment
/// and processors. The length of a socket's path is bounded, so a digest stands for all that.
std::string name_of_server(const fs::path& helper) {
  std::vector<std::string> facts;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (matters(*entry)) facts.emplace_back(*entry);
  std::sort(facts.begin(), facts.end());
  struct stat status {};
  if (::stat(helper.c_str(), &status) == 0)
    facts.push_back(fmt::format("{} {} {} {}.{}", helper.string(), status.st_ino, status.st_size,
                                status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
  cpu_set_t processors;
  CPU_ZERO(&processors);
  ::sched_getaffinity(0, sizeof processors, &processors);
  Blake2b digest;
  for (const auto& fact : facts) digest.update({as_bytes(fact).data(), fact.size() + 1});
  digest.update(std::as_bytes(std::span(&processors, 1)));
  return "compile-" + digest.finish().brief();
}

sockaddr_un address_of(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() < sizeof address.sun_path)
    std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

FileDescriptor connect_to(const fs::path& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(path);
  if (!socket || address.sun_path[0] == '\0') return {};
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return {};
  return socket;
}

/// Starts a server on a socket that listens already, so that nobody has to wait for it.
bool start(const fs::path& helper, int listener, const fs::path& path) {
  ProcessRequest server;
  server.program = helper;
  server.arguments = {"--serve", path.string()};
  server.environment = compiler_environment();
  auto child = start_process(server, listener);
  if (!child) return false;
  children().add(*std::move(child));
  return true;
}

/// A connection to the server, which is started where there is none.
FileDescriptor connection(const fs::path& helper) {
  const fs::path folder = socket_folder();
  if (folder.empty()) return {};
  const std::string name = name_of_server(helper);
  const fs::path path = folder / (name + ".sock");
  if (auto connected = connect_to(path)) return connected;
  // One starts it; the others find it then.
  const FileDescriptor lock(
      ::open((folder / (name + ".lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0) return {};
  if (auto connected = connect_to(path)) return connected;
  const FileDescriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const fs::path fresh = folder / fmt::format("{}.{}", name, ::getpid());
  ::unlink(fresh.c_str());
  const sockaddr_un address = address_of(fresh);
  if (!listener || address.sun_path[0] == '\0' ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), 128) != 0)
    return {};
  // Takes the place of a dead server's name in one step.
  if (::rename(fresh.c_str(), path.c_str()) != 0 || !start(helper, listener.get(), path)) {
    ::unlink(fresh.c_str());
    ::unlink(path.c_str());
    return {};
  }
  return connect_to(path);
}

}  // namespace

std::optional<ProcessResult> ask_server(const fs::path& helper, const ServerRequest& request) {
  const FileDescriptor socket = connection(helper);
  if (!socket || !send(socket.get(), encode(request))) return {};
  pollfd watched{socket.get(), POLLIN, 0};
  int ready = -1;
  do {
    ready = ::poll(&watched, 1, static_cast<int>(request.limit.count()) + grace_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return {};
  const auto message = receive(socket.get());
  auto result = message ? decode_result(*message) : std::nullopt;
  // It sees other files than we do.
  if (result && result->exit_code == no_folder) return {};
  return result;
}

}  // namespace kiln::apart
