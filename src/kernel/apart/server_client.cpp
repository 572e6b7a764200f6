#include "kernel/apart/server_client.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

#include "base/clock.hpp"
#include "base/data/digest.hpp"
#include "base/os/environment.hpp"
#include "base/os/launcher.hpp"
#include "kernel/apart/job.hpp"
#include "store/layer/fork_guard.hpp"

extern char** environ;

namespace kiln::apart {
namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The way to a server.

namespace {

struct ServerConnection {
  FileDescriptor socket;       ///< none: there is no server, or it is silent
  bool silent = false;         ///< the listener accepts nothing, or the lock is held all the time
  std::filesystem::path path;  ///< the socket's name
  ino_t file = 0;              ///< what stood there
  std::optional<ChildProcess> started;  ///< by this call; the caller waits for its end
  pid_t process = 0;                    ///< that one's; 0: another process has started the server
};

bool matters(std::string_view entry) {
  // Ranks that have the same processors share a server.
  if (is_of_launcher(entry)) return false;
  // What every shell changes, what only the library reads, what PoCL sets when it is loaded, where
  // caches are (each job has an empty one of its own), and which test this is.
  for (const char* name : {"PWD=", "OLDPWD=", "SHLVL=", "_=", "KILN_", "HWLOC_PLUGINS_PATH=",
                           "POCL_CACHE_DIR=", "HOME=", "XDG_CACHE_HOME=", "PYTEST_CURRENT_TEST="})
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

/// Fills in the socket, or `silent`; neither where no process listens.
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

/// The lock of the folder; empty where it cannot be had in time.
FileDescriptor lock_folder(const fs::path& folder, milliseconds patience) {
  FileDescriptor file(
      ::open((folder / "servers.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  return file && lock_file(file.get(), patience) ? std::move(file) : FileDescriptor();
}

/// Asked without waiting: a full queue shows that a process listens.
bool has_listener(const fs::path& path) {
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = address_of(path);
  return !socket || address.sun_path[0] == '\0' ||
         ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
             0 ||
         errno != ECONNREFUSED;
}

/// Removes the sockets of servers that were killed, and what a process that died while it started
/// one has left. Under the lock: no process is starting one.
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

/// Starts a server on a socket that listens already, so that clients need not wait for it.
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

namespace {

/// Waits at most `patience` each for the lock and for the server.
ServerConnection connect_to_server(const fs::path& helper, const std::string& name,
                                   milliseconds patience) {
  ServerConnection connection;
  const auto folder = runtime_folder();
  if (!folder) return connection;  // none that is safe
  connection.path = *folder / (name + ".sock");
  if (connect_to(connection, patience)) return connection;
  // One starts it; the others find it then.
  const FileDescriptor held = lock_folder(*folder, patience);
  if (!held) {
    connection.silent = true;
    return connection;
  }
  if (connect_to(connection, patience)) return connection;
  clear_up(*folder);
  if (start_server(helper, connection)) (void)connect_to(connection, patience);
  return connection;
}

/// The server's process, as far as the system tells; 0 where it does not.
pid_t process_of(const ServerConnection& connection) {
  if (connection.process != 0) return connection.process;
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection.socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  // Until the server says that it listens, it is the process that started it.
  return peer.pid == ::getpid() ? 0 : peer.pid;
}

/// Takes the name of a server that does not answer, if it still has it: the next process starts
/// another one.
void take_name_away(const ServerConnection& connection, milliseconds patience) {
  if (connection.path.empty() || connection.file == 0) return;
  const FileDescriptor held = lock_folder(connection.path.parent_path(), patience);
  struct stat now {};
  if (held && ::lstat(connection.path.c_str(), &now) == 0 && now.st_ino == connection.file)
    ::unlink(connection.path.c_str());
}

// The conversation: one question, one answer, and no wait without a bound.

// What a job may take longer than its limit before the server is believed to be stuck.
constexpr milliseconds grace{5'000};
// One that is found stopped (a signal, a debugger) so long after it last spoke is not waited for.
constexpr milliseconds stop_check{500};

/// What this process knows of servers: those that it has started, by the pipes whose ends they wait
/// for, and those that gave no answer. The servers go when the process does, however it ends: what
/// it forks off holds none of the pipes.
class KnownServers final : private ForkGuarded {
 public:
  KnownServers() { watch(); }
  ~KnownServers() override { unwatch(); }

  void add(ChildProcess server) {
    const std::lock_guard lock(mutex_);
    reap();
    started_.emplace_back(std::move(server));
  }
  /// Ends one if this process has started it: a program that is no server ends by nothing else.
  void end(pid_t pid) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(started_.begin(), started_.end(),
                                    [&](const Started& one) { return one.child.pid == pid; });
    if (found == started_.end()) return;
    ::kill(-pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    started_.erase(found);
  }

  void give_up(const std::string& name) {
    const std::lock_guard lock(mutex_);
    silent_.insert(name);
  }
  bool has_given_up(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return silent_.contains(name);
  }

 private:
  /// A server, and which pipe its input is: an application may have closed the descriptor, and have
  /// its own under that number, which is not to be closed.
  struct Started {
    explicit Started(ChildProcess server) : child(std::move(server)), pipe(file_of(child.input)) {}
    Started(Started&&) = default;
    Started& operator=(Started&& other) noexcept {
      let_go();
      child = std::move(other.child);
      pipe = other.pipe;
      return *this;
    }
    ~Started() { let_go(); }

    static ino_t file_of(const FileDescriptor& descriptor) {
      struct stat status {};
      return ::fstat(descriptor.get(), &status) == 0 && S_ISFIFO(status.st_mode) ? status.st_ino
                                                                                 : 0;
    }
    void let_go() {
      if (child.input && file_of(child.input) != pipe) (void)child.input.release();
    }

    ChildProcess child;
    ino_t pipe;
  };

  void before_fork() override { mutex_.lock(); }
  void after_fork() override {
    if (process_ != ::getpid()) started_.clear();
    process_ = ::getpid();
    mutex_.unlock();
  }

  void reap() {
    std::erase_if(started_, [](const Started& one) {
      int status = 0;
      return ::waitpid(one.child.pid, &status, WNOHANG) != 0;
    });
  }
  std::mutex mutex_;
  std::vector<Started> started_;
  std::set<std::string> silent_;
  pid_t process_ = ::getpid();  ///< whose they are
};

KnownServers& known_servers() {
  static KnownServers all;
  return all;
}

/// What is said of one job.
class Conversation {
 public:
  enum class End {
    answered,
    unanswered,  ///< it has ended, or is too busy
    ungreeted,   ///< it has not taken the connection: it may have too many
    silent,      ///< it says nothing, or nothing that a server says
  };

  Conversation(const ServerConnection& connection, const ServerRequest& request)
      : connection_(connection),
        request_(request),
        end_ns_(now_ns() + nanoseconds(request.limit + grace)) {}

  End run(ProcessResult& result) {
    const int socket = connection_.socket.get();
    if (!send(socket, encode(request_))) return End::unanswered;
    for (bool greeted = false;;) {
      const End heard = wait();
      if (heard == End::silent && !greeted && !was_stopped_) return End::ungreeted;
      if (heard != End::answered) return heard;
      const auto message = receive(socket);
      if (!message) return End::unanswered;
      if (!greeted) {
        if (*message != greeting) return End::silent;
        greeted = true;
      } else if (*message != still_working) {
        const auto decoded = decode_result(*message);
        if (!decoded) return End::silent;
        result = *decoded;
        return End::answered;
      } else if (now_ns() >= end_ns_) {
        return End::unanswered;
      }
    }
  }

 private:
  static std::int64_t nanoseconds(milliseconds time) { return time.count() * 1'000'000; }

  /// Until there is something to read.
  End wait() {
    const std::int64_t silent_ns = now_ns() + nanoseconds(request_.patience);
    was_stopped_ = false;
    for (;;) {
      const std::int64_t left = std::min(end_ns_, silent_ns) - now_ns();
      if (left <= 0) return now_ns() >= end_ns_ ? End::unanswered : End::silent;
      pollfd watched{connection_.socket.get(), POLLIN, 0};
      const int ready = ::poll(
          &watched, 1, static_cast<int>(std::min(left, nanoseconds(stop_check)) / 1'000'000 + 1));
      if (ready > 0) return End::answered;
      if (ready < 0 && errno != EINTR) return End::unanswered;
      const bool stopped = is_stopped(process_of(connection_));
      // Twice: it may have been stopped for a moment.
      if (stopped && was_stopped_) return End::silent;
      was_stopped_ = stopped;
    }
  }

  const ServerConnection& connection_;
  const ServerRequest& request_;
  const std::int64_t end_ns_;
  bool was_stopped_ = false;
};

}  // namespace

std::optional<ProcessResult> ask_server(const fs::path& helper, const ServerRequest& request) {
  const std::string name = name_of_server(helper);
  if (known_servers().has_given_up(name)) return {};
  auto connection = connect_to_server(helper, name, request.patience);
  const bool is_new = connection.started.has_value();
  if (connection.started) known_servers().add(*std::move(connection.started));
  ProcessResult result;
  auto end = connection.silent ? Conversation::End::silent : Conversation::End::unanswered;
  if (connection.socket) end = Conversation(connection, request).run(result);
  // One that this process has just started has no other clients: it is no server.
  if (end == Conversation::End::ungreeted && is_new) end = Conversation::End::silent;
  if (end == Conversation::End::ungreeted) known_servers().give_up(name);
  if (end == Conversation::End::silent) {
    known_servers().give_up(name);
    take_name_away(connection, request.patience);
    known_servers().end(connection.process);
  }
  // It may see other files than we do.
  if (end != Conversation::End::answered || result.exit_code == no_folder) return {};
  return result;
}

void give_server_up(const fs::path& helper) { known_servers().give_up(name_of_server(helper)); }

}  // namespace kiln::apart
