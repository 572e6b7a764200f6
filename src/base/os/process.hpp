#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/os/file.hpp"
#include "kiln/error.hpp"

namespace kiln {

/// How a child process ended, and what it wrote.
struct ProcessResult {
  int exit_code = -1;      ///< valid when signal is 0 and not timed_out
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< killed at the bound
  std::string output;      ///< its standard output, cut at the limit
  std::string errors;      ///< its standard error, cut at the limit
  /// Why this is not the program that was expected (ProcessRequest::greeting); empty: it is.
  std::string not_expected;
};

struct ProcessRequest {
  std::filesystem::path program;  ///< a path, no search in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's own
  std::filesystem::path folder;          ///< its working folder; empty: this process's own
  std::chrono::milliseconds limit{0};    ///< 0: none
  std::size_t output_limit = 16u << 20;  ///< bytes kept of each stream
  /// Asked now and then while waiting: true kills the child's group at once. Empty: never.
  std::function<bool()> stop = {};
  /// What the program's standard output begins with, within `greeting_limit`. One that writes
  /// something else, nothing in that time, or ends first is another program: it is killed. Empty:
  /// nothing is expected.
  std::string greeting = {};
  std::chrono::milliseconds greeting_limit{10'000};
};

/// Runs a child to its end. Its standard input is a pipe that stays open while this process
/// lives, so that a child which watches it notices the death of its parent. The whole process
/// group of the child is killed at the bound, and what is left of the group when the child ends: no
/// grandchild that holds the outputs open makes this call wait. Thread-safe; installs no signal
/// handler. Errors: io and not_found where it cannot be started; unsupported where this process
/// ignores SIGCHLD or waits for any child, so that how it ended is lost; how it ended is in the
/// result.
Expected<ProcessResult> run_process(const ProcessRequest& request);

/// A child that runs while this process goes on. Its owner waits for its end (waitpid).
struct ChildProcess {
  pid_t pid = -1;
  FileDescriptor input;  ///< the other end of its standard input, which ends when this closes
};

/// The descriptor that a started child finds what it inherits at.
inline constexpr int inherited_descriptor = 3;

/// Starts a child in a process group of its own and returns at once. Of this process's descriptors
/// it gets a copy of `inherited`, as inherited_descriptor, and no other; what it writes goes to
/// /dev/null. The bounds of the request are those of a wait, and mean nothing here. Thread-safe;
/// installs no signal handler. Errors: io and not_found where it cannot be started.
Expected<ChildProcess> start_process(const ProcessRequest& request, int inherited);

/// The processors that this thread may run on: 1 at least.
std::size_t usable_processors();

/// Whether a process was stopped by a signal or a debugger. False where the system does not tell.
bool is_stopped(pid_t pid);

/// The name of a signal, e.g. "SIGSEGV".
std::string signal_name(int signal);

}  // namespace kiln
