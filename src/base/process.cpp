#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/clock.hpp"

extern char** environ;

namespace kiln {
namespace {

struct Pipe {
  FileDescriptor read, write;
};

Expected<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(Errc::io, std::string("cannot make a pipe: ") + std::strerror(errno));
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::vector<std::string> merged_environment(const ProcessRequest& request) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool replaced = false;
    for (const auto& [name, value] : request.environment)
      replaced |= text.starts_with(name) && text.substr(name.size()).starts_with('=');
    if (!replaced) entries.emplace_back(text);
  }
  for (const auto& [name, value] : request.environment) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// The child's first descriptors, by their numbers here. None of them is less than its number in
/// the child, so that none overwrites another that is still needed.
struct Descriptors {
  int in, out, err;
  int inherited = -1;  ///< none
};

Expected<pid_t> spawn(const ProcessRequest& request, const Descriptors& descriptors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, descriptors.in, 0);
  posix_spawn_file_actions_adddup2(&actions, descriptors.out, 1);
  posix_spawn_file_actions_adddup2(&actions, descriptors.err, 2);
  if (descriptors.inherited >= 0)
    posix_spawn_file_actions_adddup2(&actions, descriptors.inherited, inherited_descriptor);
  if (!request.folder.empty())
    posix_spawn_file_actions_addchdir_np(&actions, request.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);

  std::vector<std::string> arguments{request.program.string()};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  auto environment = merged_environment(request);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, request.program.c_str(), &actions, &attributes,
                                  pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return tl::unexpected(io_error("start", request.program, error));
  return pid;
}

/// Reads what is there; false at the end of the stream.
bool drain(int fd, std::string& into, std::size_t limit) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  if (into.size() < limit)
    into.append(buffer.data(), std::min(static_cast<std::size_t>(got), limit - into.size()));
  return true;
}

int remaining_ms(std::int64_t deadline_ns) {
  if (deadline_ns == 0) return -1;
  const std::int64_t left = deadline_ns - now_ns();
  return left <= 0 ? 0 : static_cast<int>(left / 1'000'000 + 1);
}

/// How long to wait for output: to the deadline, but no longer than a person waits for Ctrl-C. A
/// signal that comes just before the wait does not end it.
int wait_ms(const ProcessRequest& request, std::int64_t deadline_ns) {
  constexpr int patience = 200;
  const int left = remaining_ms(deadline_ns);
  return request.stop && (left < 0 || left > patience) ? patience : left;
}

/// Waits for the end of a child. Kills its group at the deadline (0: none), or at once where
/// `timed_out` is already set; sets it where it comes to that.
int wait_for(pid_t pid, std::int64_t deadline_ns, bool& timed_out) {
  int status = 0;
  while (!timed_out && deadline_ns != 0) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    timed_out = remaining_ms(deadline_ns) == 0;
    // Almost always it ends right after its outputs, so this is hardly ever reached.
    const timespec pause{0, 500'000};
    if (!timed_out) ::nanosleep(&pause, nullptr);
  }
  if (timed_out) ::kill(-pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Expected<ProcessResult> run_process(const ProcessRequest& request) {
  auto in = make_pipe(), out = make_pipe(), err = make_pipe();
  for (auto* end : {&in, &out, &err})
    if (!*end) return tl::unexpected(end->error());
  auto pid = spawn(request, {in->read.get(), out->write.get(), err->write.get()});
  if (!pid) return tl::unexpected(pid.error());
  in->read.reset();
  out->write.reset();
  err->write.reset();

  ProcessResult result;
  const std::int64_t deadline =
      request.limit.count() > 0 ? now_ns() + request.limit.count() * 1'000'000 : 0;
  std::array<pollfd, 2> streams{pollfd{out->read.get(), POLLIN, 0},
                                pollfd{err->read.get(), POLLIN, 0}};
  bool stopped = false;
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const int ready = ::poll(streams.data(), streams.size(), wait_ms(request, deadline));
    stopped = request.stop && request.stop();
    if (stopped) break;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (remaining_ms(deadline) != 0) continue;  // it was only time to ask whether to stop
      result.timed_out = true;
      break;
    }
    if (streams[0].revents != 0 && !drain(streams[0].fd, result.output, request.output_limit))
      streams[0].fd = -1;
    if (streams[1].revents != 0 && !drain(streams[1].fd, result.errors, request.output_limit))
      streams[1].fd = -1;
  }
  if (stopped) ::kill(-*pid, SIGKILL);
  // A child may close its outputs and go on: the bound holds for it as well.
  const int status = wait_for(*pid, deadline, result.timed_out);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

Expected<ChildProcess> start_process(const ProcessRequest& request, int inherited) {
  auto in = make_pipe();
  if (!in) return tl::unexpected(in.error());
  const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing) return tl::unexpected(io_error("open", "/dev/null", errno));
  // A program that has closed its own standard streams may have got it as one of theirs.
  const FileDescriptor passed(::fcntl(inherited, F_DUPFD_CLOEXEC, inherited_descriptor));
  if (!passed) return tl::unexpected(io_error("pass a descriptor to", request.program, errno));
  const auto pid = spawn(request, {in->read.get(), nothing.get(), nothing.get(), passed.get()});
  if (!pid) return tl::unexpected(pid.error());
  return ChildProcess{*pid, std::move(in->write)};
}

std::string signal_name(int signal) {
  if (const char* name = ::sigabbrev_np(signal)) return std::string("SIG") + name;
  return "signal " + std::to_string(signal);
}

}  // namespace kiln
