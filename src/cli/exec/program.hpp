#pragma once

#include <string>
#include <vector>

/// Programs that take this one's place, or run in front of it as if they had.
namespace kiln::cli {

/// The words of a command line: a program, looked for in PATH, and its arguments.
using ProgramWords = std::vector<std::string>;

/// Becomes the program: exit code, signals and standard streams are its own from then on. Throws
/// Error where it cannot be started: not_found, or bad_input for what is no program.
[[noreturn]] void become_program(const ProgramWords& words);

/// How a program has ended.
struct ProgramEnd {
  int exit_code = 0;
  int signal = 0;  ///< that ended it; 0: none
};

/// Runs the program in this one's process group, with its standard streams, terminal and working
/// folder, and waits for its end. Meanwhile Ctrl-C is the program's affair, since the terminal
/// tells all of the group; a SIGTERM or SIGHUP that another process sends to this one is passed on.
/// Afterwards signals are handle_signals()'s. To be called once a process, from a single thread.
/// Throws as become_program().
ProgramEnd run_program(const ProgramWords& words);

/// The exit code; a process whose program a signal has ended dies of the same one here.
int end_like(const ProgramEnd& end);

}  // namespace kiln::cli
