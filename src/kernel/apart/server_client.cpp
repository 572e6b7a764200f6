// The client's side: one question, one answer, and no wait without a bound.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <set>
#include <vector>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/apart/server_connection.hpp"
#include "kernel/apart/server_message.hpp"
#include "store/fork_guard.hpp"

namespace kiln::apart {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

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
    started_.push_back(std::move(server));
  }
  /// Ends one if this process has started it: a program that is no server ends by nothing else.
  void end(pid_t pid) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(started_.begin(), started_.end(),
                                    [&](const ChildProcess& child) { return child.pid == pid; });
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
  void before_fork() override { mutex_.lock(); }
  void after_fork() override {
    if (process_ != ::getpid()) started_.clear();
    process_ = ::getpid();
    mutex_.unlock();
  }

  void reap() {
    std::erase_if(started_, [](const ChildProcess& child) {
      int status = 0;
      return ::waitpid(child.pid, &status, WNOHANG) != 0;
    });
  }
  std::mutex mutex_;
  std::vector<ChildProcess> started_;
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
