// The server's side. One thread: what it forks off is a copy of that thread alone.
#include "kernel/apart/server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <list>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/apart/server_message.hpp"

namespace kiln::apart {
namespace {

/// A connection, which brings one job.
struct Client {
  explicit Client(int connection) : socket(connection) {}
  FileDescriptor socket;
  std::optional<ServerRequest> request;
  pid_t job = 0;           ///< 0: not begun
  FileDescriptor running;  ///< its other end is open in the job's process alone
  std::int64_t deadline_ns = 0;
  bool timed_out = false, gone = false;
};

std::size_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(std::max(CPU_COUNT(&set), 1));
}

/// Half of a second's work that all later jobs find done, in a folder that goes again.
void warm_up() {
  const auto folder = TemporaryFolder::create("kiln-compile-server");
  if (!folder || ::chdir(folder->path().c_str()) != 0) return;
  try {
    load_kernel_libraries();
  } catch (const std::exception&) {
    // Without it each job loads its own.
  }
  if (::chdir("/") != 0) return;
}

[[noreturn]] void do_job(const ServerRequest& request) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const auto& [name, value] : request.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (::chdir(request.folder.c_str()) != 0) ::_exit(no_folder);
  const int said = ::open(said_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (said >= 0) {
    ::dup2(said, 1);
    ::dup2(said, 2);
  }
  const int code = do_job_here();
  // Not exit(): the driver's threads, which its destructors would wait for, were not forked.
  ::_exit(code);
}

class Server {
 public:
  Server(int listener, const std::filesystem::path& path) : listener_(listener), path_(path) {
    if (::lstat(path.c_str(), &own_) != 0) own_ = {};
  }

  void run() {
    while (listener_ || !clients_.empty()) {
      begin_jobs();
      wait();
    }
  }

 private:
  void begin_jobs() {
    for (auto& client : clients_) {
      if (!client.request || client.job != 0 || client.gone) continue;
      if (jobs_ >= most_jobs_) return;
      // The first may be the only one, and it is not to wait; from the second on it pays.
      if (++begun_ == 2) warm_up();
      begin(client);
    }
  }

  void begin(Client& client) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return end(client);
    client.running = FileDescriptor(ends[0]);
    const FileDescriptor others(ends[1]);
    client.job = ::fork();
    if (client.job == 0) {
      listener_.reset();
      for (auto& other : clients_) other.socket.reset();
      do_job(*client.request);
    }
    if (client.job < 0) return end(client);
    ++jobs_;
    client.deadline_ns = now_ns() + client.request->limit.count() * 1'000'000;
  }

  /// Nothing was done: the client will do it itself.
  void end(Client& client) {
    client.job = 0;
    client.gone = true;
  }

  void wait() {
    std::vector<pollfd> watched{{parent_lives_ ? 0 : -1, POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    std::int64_t nearest = INT64_MAX;
    for (auto& client : clients_) {
      watched.push_back({client.gone ? -1 : client.socket.get(), POLLIN, 0});
      watched.push_back({client.running.get(), POLLIN, 0});
      if (client.job != 0 && !client.timed_out) nearest = std::min(nearest, client.deadline_ns);
    }
    const std::int64_t left = nearest == INT64_MAX ? -1 : (nearest - now_ns()) / 1'000'000 + 1;
    if (::poll(watched.data(), watched.size(),
               static_cast<int>(std::clamp<std::int64_t>(left, -1, 3'600'000))) < 0)
      return;
    auto at = watched.begin() + 2;
    for (auto client = clients_.begin(); client != clients_.end(); at += 2) {
      if (at[0].revents != 0) hear(*client);
      if (at[1].revents != 0) finish(*client);
      if (client->job != 0 && now_ns() >= client->deadline_ns) kill_job(*client, true);
      client = client->gone && client->job == 0 ? clients_.erase(client) : std::next(client);
    }
    if (watched[1].revents != 0) accept();
    if (watched[0].revents != 0) hear_parent();
  }

  void accept() {
    const int socket = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    FileDescriptor connection(socket);
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != ::geteuid())
      return;
    clients_.emplace_back(connection.release());
  }

  void hear(Client& client) {
    const auto message = receive(client.socket.get());
    if (message && !client.request) {
      client.request = decode_request(*message);
      if (!client.request) client.gone = true;
      return;
    }
    // It died, or gave up: what it left behind is nobody's.
    client.gone = true;
    if (client.job != 0) kill_job(client, false);
    if (client.request) remove_job_folder(client.request->folder);
  }

  void finish(Client& client) {
    int status = 0;
    ::waitpid(client.job, &status, 0);
    --jobs_;
    client.job = 0;
    client.running.reset();
    ProcessResult result;
    if (WIFSIGNALED(status))
      result.signal = WTERMSIG(status);
    else
      result.exit_code = WEXITSTATUS(status);
    result.timed_out = client.timed_out;
    if (client.gone)
      remove_job_folder(client.request->folder);  // the compiler may have gone on writing
    else
      (void)send(client.socket.get(), encode(result));
    client.gone = true;
  }

  static void kill_job(Client& client, bool timed_out) {
    client.timed_out = timed_out;
    ::kill(-client.job, SIGKILL);
    ::kill(client.job, SIGKILL);  // it may not have its group yet
  }

  void hear_parent() {
    char byte;
    if (::read(0, &byte, 1) > 0) return;
    parent_lives_ = false;
    listener_.reset();
    // Unless another server has taken the name over.
    struct stat now {};
    if (::lstat(path_.c_str(), &now) == 0 && now.st_ino == own_.st_ino) ::unlink(path_.c_str());
    // Jobs that run are finished for those who wait; the others do theirs themselves.
    for (auto& client : clients_)
      if (client.job == 0) client.gone = true;
    std::erase_if(clients_, [](const Client& client) { return client.gone && client.job == 0; });
  }

  FileDescriptor listener_;
  const std::filesystem::path path_;
  struct stat own_ {};
  std::list<Client> clients_;
  const std::size_t most_jobs_ = processors();
  std::size_t jobs_ = 0, begun_ = 0;
  bool parent_lives_ = true;
};

}  // namespace

int serve(int listener, const std::filesystem::path& path) {
  if (::chdir("/") != 0) return failed;
  ::signal(SIGPIPE, SIG_IGN);
  Server(listener, path).run();
  // The driver's own clean-up takes as long as a compilation, and there is nothing to be saved.
  ::_exit(done);
}

}  // namespace kiln::apart
