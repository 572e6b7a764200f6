#pragma once

/// Ctrl-C. Only the command installs handlers; the library never does.
namespace kiln::cli {

/// Thrown by stop_if_interrupted; the command cleans up by unwinding and ends by the signal.
struct Interrupted {};

/// From now on the first SIGINT or SIGTERM sets a flag, and ends the process some seconds later
/// where nobody looked at it; a second one ends it at once. SIGPIPE is ignored: writes report it
/// instead.
void handle_signals();

/// Whether a signal has asked to stop. Safe in any thread.
bool interrupted();

/// Throws Interrupted after a signal. Long loops call it between steps.
void stop_if_interrupted();

/// Ends the process by the signal that was received, as shells expect of what Ctrl-C stopped.
[[noreturn]] void end_by_signal();

}  // namespace kiln::cli
