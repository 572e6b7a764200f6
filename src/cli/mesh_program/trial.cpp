// Foreign code on untrusted input, tried in a child process.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iterator>

#include "base/os/process.hpp"
#include "cli/mesh_program/program.hpp"

namespace kiln::cli {
namespace {

constexpr int defects[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGALRM};

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
  // The command's own signal handlers (cli/command/interrupt.hpp) are for its own process, and so
  // are those of a driver, which may return.
  for (const int signal : defects) ::signal(signal, SIG_DFL);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  ::alarm(ten_minutes);  // one that hangs may use no processor time
  work();
  ::_exit(0);
}

}  // namespace

std::string died_of(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child < 0) return {};  // then without the trial
  if (child == 0) work_unheard(work);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return {};
  const bool is_defect = WIFSIGNALED(status) && std::find(std::begin(defects), std::end(defects),
                                                          WTERMSIG(status)) != std::end(defects);
  return is_defect ? signal_name(WTERMSIG(status)) : "";
}

}  // namespace kiln::cli
