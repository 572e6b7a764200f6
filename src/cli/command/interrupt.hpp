#pragma once

#include <chrono>

/// Ctrl-C. Only the command installs handlers; the library never does.
namespace kiln::cli {

/// Thrown by stop_if_interrupted; the command cleans up by unwinding and ends by the signal.
struct Interrupted {};

/// From now on the first SIGINT or SIGTERM sets a flag, and ends the process a quarter of a second
/// later if it has not ended by then; a second one ends it at once. SIGPIPE is ignored: writes
/// report it instead.
void handle_signals();

/// What handle_signals() has changed is again as this process was started with it: for a program
/// that takes this one's place, or is started by it. Between fork() and exec, too.
void give_back_signals();

/// From now on the handler waits this long in place of its quarter of a second. For commands that
/// end by themselves within that time after a signal, since all that they wait for is bounded, and
/// keep what they have found so far. A second signal still ends the process at once. Safe in any
/// thread.
void end_in_good_order(std::chrono::seconds most);

/// Whether a signal has asked to stop. Safe in any thread.
bool interrupted();

/// The signal that has asked to stop; 0: none.
int received_signal();

/// Throws Interrupted after a signal. Long loops call it between steps.
void stop_if_interrupted();

/// While one lives, a signal ends the process at once. For long steps that do not look at the flag
/// and leave nothing to clean up: reading, parsing and checking the input. Throws Interrupted where
/// a signal has come before.
class EndsAtOnce {
 public:
  EndsAtOnce();
  ~EndsAtOnce();
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
};

/// Ends the process by the signal that was received, as shells expect of what Ctrl-C stopped.
[[noreturn]] void end_by_signal();

}  // namespace kiln::cli
