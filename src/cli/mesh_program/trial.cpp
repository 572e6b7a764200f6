// Foreign code on untrusted input, tried in a child process.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/os/process.hpp"
#include "cli/mesh_program/program.hpp"

namespace kiln::cli {
namespace {

[[noreturn]] void work_unheard(const std::function<void()>& work) {
  // Users need no messages of an abort(), and no core files.
  if (const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  constexpr unsigned ten_minutes = 600;
  const rlimit no_core{0, 0}, computing{ten_minutes, ten_minutes};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &computing);
  // One that hangs may use no processor time: the alarm ends it. The command's own signal handlers
  // (cli/command/interrupt.hpp) are for its own process.
  for (const int signal : {SIGALRM, SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  ::alarm(ten_minutes);
  work();
  ::_exit(0);
}

bool is_defect(int signal) {
  for (const int known : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGALRM})
    if (signal == known) return true;
  return false;
}

}  // namespace

std::string died_of(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child < 0) return {};  // then without the trial
  if (child == 0) work_unheard(work);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {};
  return WIFSIGNALED(status) && is_defect(WTERMSIG(status)) ? signal_name(WTERMSIG(status)) : "";
}

}  // namespace kiln::cli
