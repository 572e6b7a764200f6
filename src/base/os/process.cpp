#include "base/os/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/clock.hpp"
#include "base/data/text.hpp"

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

/// Reads once; false where nothing is there, or the stream has ended.
bool read_some(FileDescriptor& from, std::string& into, std::size_t limit) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
  if (got == 0) from.reset();
  if (got <= 0) return false;
  if (into.size() < limit)
    into.append(buffer.data(), std::min(static_cast<std::size_t>(got), limit - into.size()));
  return true;
}

enum class ChildState {
  runs,
  ended,   ///< it stays a zombie, and its number its own, until it is waited for
  reaped,  ///< the host ignores SIGCHLD or waits for all children: how it ended is not known
};
ChildState state_of(pid_t pid) {
  siginfo_t about{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &about, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno == ECHILD ? ChildState::reaped : ChildState::runs;
  return about.si_pid == pid ? ChildState::ended : ChildState::runs;
}

/// A child that runs, and what is known of it so far.
class RunningProcess {
 public:
  RunningProcess(const ProcessRequest& request, pid_t pid, FileDescriptor out, FileDescriptor err)
      : request_(request),
        pid_(pid),
        // Readable when the process ends. Kernels before 5.3 have none: see wait_ms().
        process_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
        out_(std::move(out)),
        err_(std::move(err)) {
    // A process that writes all the time must not keep this one from its bounds.
    for (const auto* end : {&out_, &err_}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
    const std::int64_t now = now_ns();
    if (request.limit.count() > 0) deadline_ns_ = now + request.limit.count() * 1'000'000;
    if (!request.greeting.empty()) greeting_ns_ = now + request.greeting_limit.count() * 1'000'000;
  }

  Expected<ProcessResult> run_to_end() {
    while (!is_over()) {
      std::array<pollfd, 3> watched{pollfd{out_.get(), POLLIN, 0}, pollfd{err_.get(), POLLIN, 0},
                                    pollfd{process_.get(), POLLIN, 0}};
      (void)::poll(watched.data(), watched.size(), wait_ms());
      read_outputs();
    }
    // Its number may be another's by now: nothing is killed.
    if (state_ == ChildState::reaped)
      return fail(Errc::unsupported,
                  "how " + request_.program.string() +
                      " ended is not known: this process ignores SIGCHLD or waits for any child");
    // At its end, too: processes that it has left behind may hold the outputs open.
    ::kill(-pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    // A signal says more by itself: a compiler may die of its text.
    if (greeting_ns_ != 0 && result_.not_expected.empty() && WIFEXITED(status))
      result_.not_expected = "it ended with exit code " + std::to_string(result_.exit_code);
    return std::move(result_);
  }

 private:
  /// Once each; false where there was nothing.
  bool read_outputs() {
    const bool said = read_some(out_, result_.output, request_.output_limit);
    return read_some(err_, result_.errors, request_.output_limit) || said;
  }
  bool is_over() {
    if (request_.stop && request_.stop()) return true;
    state_ = state_of(pid_);
    if (state_ != ChildState::runs) {
      // All that it has written before its end, which is no more than pipes hold.
      constexpr int most_reads = 64;
      for (int i = 0; i < most_reads && read_outputs(); ++i) continue;
      check_greeting();
      return true;
    }
    result_.timed_out = deadline_ns_ != 0 && now_ns() >= deadline_ns_;
    return result_.timed_out || !check_greeting();
  }

  /// Whether it is, as far as is known, the program that was expected.
  bool check_greeting() {
    if (greeting_ns_ == 0) return true;
    const std::string& begun = result_.output;
    if (begun.starts_with(request_.greeting)) {
      greeting_ns_ = 0;
    } else if (!std::string_view(request_.greeting).starts_with(begun)) {
      result_.not_expected =
          "its output begins with '" + one_line(begun.substr(0, request_.greeting.size())) + "'";
    } else if (now_ns() >= greeting_ns_) {
      result_.not_expected = fmt::format(
          "it said nothing for {} s", static_cast<double>(request_.greeting_limit.count()) / 1000);
    }
    return result_.not_expected.empty();
  }

  /// How long to wait: to the next bound, but no longer than a person waits for Ctrl-C. A signal
  /// that comes just before the wait does not end it.
  int wait_ms() const {
    std::int64_t left = INT32_MAX;
    for (const std::int64_t bound : {deadline_ns_, greeting_ns_})
      if (bound != 0)
        left = std::min(left, std::max<std::int64_t>(bound - now_ns(), 0) / 1'000'000 + 1);
    constexpr std::int64_t patience = 200, without_descriptor = 5;
    if (request_.stop) left = std::min(left, patience);
    if (!process_) left = std::min(left, without_descriptor);
    return static_cast<int>(left);
  }

  const ProcessRequest& request_;
  const pid_t pid_;
  FileDescriptor process_, out_, err_;
  ChildState state_ = ChildState::runs;
  ProcessResult result_;
  std::int64_t deadline_ns_ = 0, greeting_ns_ = 0;  ///< 0: none; greeting: no longer awaited
};

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
  return RunningProcess(request, *pid, std::move(out->read), std::move(err->read)).run_to_end();
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

std::size_t usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(std::max(CPU_COUNT(&set), 1));
}

bool is_stopped(pid_t pid) {
  if (pid <= 0) return false;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(
      std::fopen(fmt::format("/proc/{}/stat", pid).c_str(), "re"));
  char text[256] = {};
  if (!file || std::fread(text, 1, sizeof text - 1, file.get()) == 0) return false;
  // The name stands in brackets and may hold some.
  const std::string_view line(text);
  const auto end = line.rfind(')');
  return end != line.npos && end + 2 < line.size() &&
         (line[end + 2] == 'T' || line[end + 2] == 't');
}

std::string signal_name(int signal) {
  if (const char* name = ::sigabbrev_np(signal)) return std::string("SIG") + name;
  return "signal " + std::to_string(signal);
}

}  // namespace kiln
