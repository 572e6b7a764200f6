#include "kernel/apart/server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <list>
#include <sstream>

#include "base/clock.hpp"
#include "base/data/cursor.hpp"
#include "base/os/file.hpp"
#include "kernel/apart/worker.hpp"

// The server's side. One thread: what it forks off is a copy of that thread alone, whatever the
// driver has begun besides.

namespace kiln::apart {
namespace {

// What a driver's compiler forgets to free adds up: a worker that has done so many goes.
constexpr int most_jobs_of_worker = 256;
// Each has a descriptor here; the others wait in the listening socket's queue.
constexpr std::size_t most_clients = 256;
constexpr std::int64_t longest_wait_ms = 3'600'000;
// So often clients that wait hear that the server lives (they give up after ten times that), and
// workers are looked at.
constexpr std::int64_t check_ms = 1000;

/// A process that does one job after another, all with one environment. Its first loads the driver
/// and its library, which the others find done; what a job does to its process harms the worker
/// alone.
struct Worker {
  pid_t pid = 0;
  FileDescriptor socket;
  std::vector<std::pair<std::string, std::string>> environment;  ///< of all its jobs
  int jobs = 0;
  bool busy = false;
  bool was_stopped = false;  ///< when it was last looked at
};

/// A connection, which brings one job.
struct Client {
  explicit Client(int connection) : socket(connection) {}
  FileDescriptor socket;
  std::optional<ServerRequest> request;
  Worker* worker = nullptr;  ///< that does it; null: not assigned yet
  std::int64_t deadline_ns = 0;
  bool timed_out = false, gone = false;
};

/// Half of a second's work that later workers find done, in a folder that goes again.
void warm_up() {
  const auto folder = TemporaryFolder::create("kiln-compile-server");
  if (!folder || ::chdir(folder->path().c_str()) != 0) return;
  try {
    load_kernel_libraries();
  } catch (const std::exception&) {
    // Without it each worker loads its own.
  }
  if (::chdir("/") != 0) return;
}

int do_job(const ServerRequest& request, int number) {
  if (::chdir(request.folder.c_str()) != 0) return no_folder;
  const FileDescriptor said(::open(said_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (said) {
    ::dup2(said.get(), 1);
    ::dup2(said.get(), 2);
  }
  // No other job of this worker has another environment: the driver reads it once.
  for (const auto& [name, value] : request.environment) ::setenv(name.c_str(), value.c_str(), 1);
  const int code = do_job_here("JOB_" + std::to_string(number));
  if (::chdir("/") != 0) return failed;
  return code;
}

[[noreturn]] void work(int socket) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number = 1; const auto message = receive(socket); ++number) {
    const auto request = decode_request(*message);
    if (!request) break;
    ProcessResult result;
    result.exit_code = do_job(*request, number);
    if (!send(socket, encode(result))) break;
  }
  // Not exit(): the driver's clean-up takes long, and waits for threads that were not forked.
  ::_exit(done);
}

class Server {
 public:
  Server(int listener, const std::filesystem::path& path) : listener_(listener), path_(path) {
    if (::lstat(path.c_str(), &own_) != 0) own_ = {};
  }

  void run() {
    while (listener_ || !clients_.empty()) {
      begin_jobs();
      if (!clients_.empty() && now_ns() >= next_check_ns_) {
        tell_who_waits();
        kill_stopped_workers();
        next_check_ns_ = now_ns() + check_ms * 1'000'000;
      }
      wait();
    }
  }

 private:
  void begin_jobs() {
    for (auto& client : clients_) {
      if (!client.request || client.worker != nullptr || client.gone) continue;
      Worker* worker = idle_worker(client.request->environment);
      if (worker == nullptr) break;
      if (!send(worker->socket.get(), encode(*client.request))) {
        // It died with nothing to do. The client, whose connection ends, does the job itself.
        dismiss(*worker);
        client.gone = true;
        continue;
      }
      worker->busy = true;
      ++worker->jobs;
      client.worker = worker;
      client.deadline_ns = now_ns() + client.request->limit.count() * 1'000'000;
    }
    clients_.remove_if([](const Client& client) { return client.gone && !client.worker; });
  }

  /// Null where as many work as there are processors.
  Worker* idle_worker(const std::vector<std::pair<std::string, std::string>>& environment) {
    Worker* other = nullptr;
    for (auto& worker : workers_) {
      if (worker.busy) continue;
      if (worker.environment == environment) return &worker;
      other = &worker;
    }
    if (workers_.size() >= most_workers_) {
      if (other == nullptr) return nullptr;
      dismiss(*other);
    }
    // The first may be the only one, and it is not to wait; two load the library side by side as
    // quickly as one. From the third on it pays to have it loaded before they are forked.
    if (++hired_ == 3) warm_up();
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
    FileDescriptor ours(ends[0]), theirs(ends[1]);
    const pid_t pid = ::fork();
    if (pid < 0) return nullptr;
    if (pid == 0) {
      listener_.reset();
      ours.reset();
      for (auto& client : clients_) client.socket.reset();
      for (auto& worker : workers_) worker.socket.reset();
      work(theirs.get());
    }
    return &workers_.emplace_back(Worker{pid, std::move(ours), environment});
  }

  /// A client that was stopped hears nothing: a message that finds no room is dropped.
  void tell_who_waits() {
    for (const auto& client : clients_)
      if (client.request && !client.gone) (void)send(client.socket.get(), still_working);
  }

  /// A worker that a signal or a debugger has stopped does not go on by itself. Its client hears
  /// that it has ended, and uses a helper of its own. Twice: it may have been stopped for a moment.
  void kill_stopped_workers() {
    for (auto& worker : workers_) {
      const bool stopped = is_stopped(worker.pid);
      if (stopped && worker.was_stopped) kill_worker(worker);
      worker.was_stopped = stopped;
    }
  }

  void wait() {
    const int listener = clients_.size() < most_clients ? listener_.get() : -1;
    std::vector<pollfd> watched{{parent_lives_ ? 0 : -1, POLLIN, 0}, {listener, POLLIN, 0}};
    std::int64_t nearest = clients_.empty() ? INT64_MAX : next_check_ns_;
    for (const auto& client : clients_) {
      watched.push_back({client.gone ? -1 : client.socket.get(), POLLIN, 0});
      watched.push_back({client.worker ? client.worker->socket.get() : -1, POLLIN, 0});
      if (client.worker && !client.timed_out) nearest = std::min(nearest, client.deadline_ns);
    }
    // One that is over already must not become the -1 that waits for ever.
    const std::int64_t left = std::max<std::int64_t>((nearest - now_ns()) / 1'000'000 + 1, 0);
    if (::poll(watched.data(), watched.size(), static_cast<int>(std::min(left, longest_wait_ms))) <
        0)
      return;
    auto at = watched.begin() + 2;
    for (auto client = clients_.begin(); client != clients_.end(); at += 2) {
      if (at[0].revents != 0) hear(*client);
      if (at[1].revents != 0) finish(*client);
      if (client->worker && !client->timed_out && now_ns() >= client->deadline_ns) {
        client->timed_out = true;
        kill_worker(*client->worker);
      }
      client = client->gone && !client->worker ? clients_.erase(client) : std::next(client);
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
    if (send(socket, greeting)) clients_.emplace_back(connection.release());
  }

  void hear(Client& client) {
    const auto message = receive(client.socket.get());
    if (message && !client.request) {
      client.request = decode_request(*message);
      if (!client.request) client.gone = true;
      return;
    }
    // It died, or gave up: nothing else refers to what it left behind.
    client.gone = true;
    if (client.worker) kill_worker(*client.worker);
    if (client.request) remove_job_folder(client.request->folder);
  }

  /// The worker has answered, or is no more.
  void finish(Client& client) {
    Worker& worker = *client.worker;
    client.worker = nullptr;
    worker.busy = false;
    const auto message = receive(worker.socket.get());
    auto result = message ? decode_result(*message) : std::nullopt;
    if (!result || worker.jobs >= most_jobs_of_worker) dismiss(worker);
    if (client.timed_out) result.emplace().timed_out = true;
    if (client.gone)
      remove_job_folder(client.request->folder);  // the compiler may have gone on writing
    else if (result)
      (void)send(client.socket.get(), encode(*result));
    // A worker that died may have done so of an earlier job, or been killed. The client gets no
    // answer and asks a helper of its own, which can only die of this job.
    client.gone = true;
  }

  /// Its linker, too.
  static void kill_worker(const Worker& worker) {
    ::kill(-worker.pid, SIGKILL);
    ::kill(worker.pid, SIGKILL);  // it may not have its group yet
  }

  /// Ends it, whatever it does: one that was stopped would not hear that its socket has closed.
  void dismiss(const Worker& worker) {
    kill_worker(worker);
    const pid_t pid = worker.pid;
    workers_.remove_if([&](const Worker& other) { return &other == &worker; });
    int status = 0;
    ::waitpid(pid, &status, 0);
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
      if (!client.worker) client.gone = true;
    std::erase_if(clients_, [](const Client& client) { return client.gone && !client.worker; });
  }

  FileDescriptor listener_;
  const std::filesystem::path path_;
  struct stat own_ {};
  std::list<Client> clients_;
  std::list<Worker> workers_;
  const std::size_t most_workers_ = usable_processors();
  int hired_ = 0;
  std::int64_t next_check_ns_ = 0;
  bool parent_lives_ = true;
};

}  // namespace

int serve(int listener, const std::filesystem::path& path) {
  if (::chdir("/") != 0) return failed;
  ::signal(SIGPIPE, SIG_IGN);
  // Its clients see the process that called listen() last as their peer: this one from now on.
  (void)::listen(listener, listen_backlog);
  Server(listener, path).run();
  // The driver's own clean-up takes as long as a compilation, and there is nothing to be saved.
  ::_exit(done);
}

// Messages.

std::string encode(const ServerRequest& request) {
  Bytes bytes;
  append_block(bytes, request.folder.string());
  append_le(bytes, static_cast<std::int64_t>(request.limit.count()));
  for (const auto& [name, value] : request.environment) {
    append_block(bytes, name);
    append_block(bytes, value);
  }
  return std::string(as_text(bytes));
}

std::optional<ServerRequest> decode_request(std::string_view message) {
  constexpr std::int64_t longest_limit_ms = 7 * 24 * 3'600'000;
  Cursor in(as_bytes(message), "request");
  ServerRequest request;
  request.folder = in.text("folder");
  const auto limit = in.number<std::int64_t>("limit");
  while (in.left() > 0) {
    auto name = in.text("name");
    request.environment.emplace_back(std::move(name), in.text("value"));
  }
  if (!in.ok() || limit < 0 || limit > longest_limit_ms) return {};
  request.limit = std::chrono::milliseconds(limit);
  return request;
}

std::string encode(const ProcessResult& result) {
  return std::to_string(result.exit_code) + " " + std::to_string(result.signal) + " " +
         std::to_string(static_cast<int>(result.timed_out));
}

std::optional<ProcessResult> decode_result(std::string_view message) {
  std::istringstream words{std::string(message)};
  ProcessResult result;
  int timed_out = 0;
  if (!(words >> result.exit_code >> result.signal >> timed_out) || !words.eof() ||
      result.exit_code < -1 || result.exit_code > 255 || result.signal < 0 || result.signal > 64 ||
      timed_out < 0 || timed_out > 1)
    return {};
  result.timed_out = timed_out != 0;
  return result;
}

std::optional<std::string> receive(int socket) {
  std::string message(longest_message, '\0');
  ssize_t got = -1;
  do {
    got = ::recv(socket, message.data(), message.size(), MSG_TRUNC);
  } while (got < 0 && errno == EINTR);
  if (got <= 0 || static_cast<std::size_t>(got) > message.size()) return {};
  message.resize(static_cast<std::size_t>(got));
  return message;
}

bool send(int socket, std::string_view message) {
  ssize_t sent = -1;
  do {
    sent = ::send(socket, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace kiln::apart
