#include "cli/exec/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "cli/command/interrupt.hpp"
#include "cli/output/output.hpp"
#include "kiln/error.hpp"

namespace kiln::cli {
namespace {

/// The words as exec wants them; they stay the caller's.
std::vector<char*> pointers_to(const ProgramWords& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

Error cannot_run(const std::string& program, int error) {
  return {error == ENOENT ? Errc::not_found : Errc::bad_input,
          fmt::format("cannot run {}: {}", one_line(program), std::strerror(error))};
}

}  // namespace

void become_program(const ProgramWords& words) {
  const auto pointers = pointers_to(words);
  flush_output();
  join_results();
  give_back_signals();
  ::execvp(pointers.front(), pointers.data());
  throw cannot_run(words.front(), errno);
}

namespace {

volatile std::sig_atomic_t running = 0;  ///< the program's process

void pass_on(int signal, siginfo_t* info, void*) {
  const int error = errno;
  // The terminal's own has reached the program, too. Of a process's it cannot be known whether it
  // told the whole group: a second one is better than none.
  if (running > 0 && info->si_code <= 0) ::kill(running, signal);
  errno = error;
}

void watch_signals() {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
}

/// The number of a failure that a child has written before it ended; 0: it has become the program.
int failure_from(int pipe) {
  int error = 0;
  const auto read = ::read(pipe, &error, sizeof error);
  return read == static_cast<ssize_t>(sizeof error) ? error : 0;
}

ProgramEnd wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw Error(Errc::io, fmt::format("cannot wait for the program: {}", std::strerror(errno)));
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

ProgramEnd run_program(const ProgramWords& words) {
  const auto pointers = pointers_to(words);
  flush_output();
  join_results();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(Errc::io, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const FileDescriptor failure(ends[0]);
  FileDescriptor in_child(ends[1]);
  // What comes before the program has its signals back waits until then.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t child = ::fork();
  if (child == 0) {
    give_back_signals();
    sigprocmask(SIG_SETMASK, &before, nullptr);
    ::execvp(pointers.front(), pointers.data());
    const int error = errno;
    (void)!::write(in_child.get(), &error, sizeof error);
    ::_exit(127);
  }
  const int error = errno;
  running = child;
  if (child > 0) watch_signals();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) throw cannot_run(words.front(), error);
  in_child.reset();
  const int refused = failure_from(failure.get());
  const ProgramEnd end = wait_for(child);
  running = 0;
  // What is told now ends by a signal as any command.
  for (const int signal : {SIGHUP, SIGQUIT}) std::signal(signal, SIG_DFL);
  handle_signals();
  if (refused != 0) throw cannot_run(words.front(), refused);
  return end;
}

int end_like(const ProgramEnd& end) {
  if (end.signal == 0) return end.exit_code;
  flush_output();
  // The program has left its core, if any is wanted.
  constexpr rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(end.signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, end.signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(end.signal);
  std::_Exit(128 + end.signal);
}

}  // namespace kiln::cli
