#include "kernel/apart/server_connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "base/digest.hpp"
#include "base/environment.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/apart/server.hpp"

extern char** environ;

namespace kiln::apart {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// A folder of this user's for sockets; empty where there is none that is safe.
fs::path socket_folder() { return runtime_folder().value_or(fs::path()); }

bool matters(std::string_view entry) {
  // What every shell changes, and what only the library reads.
  for (const char* name : {"PWD=", "OLDPWD=", "SHLVL=", "_=", "KILN_"})
    if (entry.starts_with(name)) return false;
  return true;
}

sockaddr_un address_of(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() < sizeof address.sun_path)
    std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

/// A socket whose calls end after `patience`: the queue of a server that was stopped may be full.
FileDescriptor new_socket(milliseconds patience) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const timeval bound{patience.count() / 1000, patience.count() % 1000 * 1000 + 1};
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound);
  return socket;
}

/// Fills in the socket, or `silent`; neither where nobody listens.
bool connect_to(ServerConnection& connection, milliseconds patience) {
  struct stat status {};
  const sockaddr_un address = address_of(connection.path);
  auto socket = new_socket(patience);
  if (!socket || address.sun_path[0] == '\0' || ::lstat(connection.path.c_str(), &status) != 0)
    return false;
  connection.file = status.st_ino;
  const auto end = std::chrono::steady_clock::now() + patience;
  int error = 0;
  do {
    error = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    // Signals begin the wait anew, in vain after its end.
  } while (error != 0 && errno == EINTR && std::chrono::steady_clock::now() < end);
  if (error == 0) connection.socket = std::move(socket);
  connection.silent = error != 0 && (errno == EAGAIN || errno == EINTR);
  return error == 0 || connection.silent;
}

/// The lock of the folder: none where it cannot be had in time.
FileDescriptor lock_folder(const fs::path& folder, milliseconds patience) {
  FileDescriptor file(
      ::open((folder / "servers.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  const auto end = std::chrono::steady_clock::now() + patience;
  // It is held for the start of a process, a millisecond or two.
  for (auto pause = std::chrono::microseconds(200); file;) {
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10'000));
  }
  return {};
}

/// Asked without waiting: where the queue is full, somebody listens.
bool has_listener(const fs::path& path) {
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = address_of(path);
  return !socket || address.sun_path[0] == '\0' ||
         ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
             0 ||
         errno != ECONNREFUSED;
}

/// Removes the sockets of servers that were killed, and what a process that died while it started
/// one has left. Under the lock: nobody is starting one.
void clear_up(const fs::path& folder) {
  std::vector<fs::path> stale;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path path = entry->path();
    struct stat status {};
    if (!path.filename().string().starts_with("compile-") || ::lstat(path.c_str(), &status) != 0 ||
        !S_ISSOCK(status.st_mode))
      continue;
    if (path.extension() != ".sock" || !has_listener(path)) stale.push_back(path);
  }
  for (const auto& path : stale) ::unlink(path.c_str());
}

/// Starts a server on a socket that listens already, so that nobody has to wait for it.
bool start_server(const fs::path& helper, ServerConnection& connection) {
  const FileDescriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  fs::path fresh = connection.path;
  fresh.replace_extension(std::to_string(::getpid()));
  const sockaddr_un address = address_of(fresh);
  if (!listener || address.sun_path[0] == '\0' ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), listen_backlog) != 0)
    return false;
  ProcessRequest server;
  server.program = helper;
  server.arguments = {"--serve", connection.path.string()};
  server.environment = compiler_environment();
  // Takes the place of a dead server's name in one step.
  if (::rename(fresh.c_str(), connection.path.c_str()) == 0) {
    if (auto child = start_process(server, listener.get())) {
      connection.process = child->pid;
      connection.started = std::move(*child);
      return true;
    }
  }
  ::unlink(fresh.c_str());
  ::unlink(connection.path.c_str());
  return false;
}

}  // namespace

std::string identity_of(const fs::path& program) {
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0) return program.string();
  return fmt::format("{} {} {} {}.{}", program.string(), status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string name_of_server(const fs::path& helper) {
  std::vector<std::string> facts;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (matters(*entry)) facts.emplace_back(*entry);
  std::sort(facts.begin(), facts.end());
  facts.push_back(identity_of(helper));
  cpu_set_t processors;
  CPU_ZERO(&processors);
  ::sched_getaffinity(0, sizeof processors, &processors);
  // The length of a socket's path is bounded, so a digest stands for all that.
  Blake2b digest;
  for (const auto& fact : facts) digest.update({as_bytes(fact).data(), fact.size() + 1});
  digest.update(std::as_bytes(std::span(&processors, 1)));
  return "compile-" + digest.finish().brief();
}

ServerConnection connect_to_server(const fs::path& helper, const std::string& name,
                                   milliseconds patience) {
  ServerConnection connection;
  const fs::path folder = socket_folder();
  if (folder.empty()) return connection;
  connection.path = folder / (name + ".sock");
  if (connect_to(connection, patience)) return connection;
  // One starts it; the others find it then.
  const FileDescriptor held = lock_folder(folder, patience);
  if (!held) {
    connection.silent = true;
    return connection;
  }
  if (connect_to(connection, patience)) return connection;
  clear_up(folder);
  if (start_server(helper, connection)) (void)connect_to(connection, patience);
  return connection;
}

pid_t process_of(const ServerConnection& connection) {
  if (connection.process != 0) return connection.process;
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection.socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  // Until the server says that it listens, it is the process that started it.
  return peer.pid == ::getpid() ? 0 : peer.pid;
}

void take_name_away(const ServerConnection& connection, milliseconds patience) {
  if (connection.path.empty() || connection.file == 0) return;
  const FileDescriptor held = lock_folder(connection.path.parent_path(), patience);
  struct stat now {};
  if (held && ::lstat(connection.path.c_str(), &now) == 0 && now.st_ino == connection.file)
    ::unlink(connection.path.c_str());
}

}  // namespace kiln::apart
