#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace kiln::cli {
namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not take a lock");

void remember(int signal) { received.store(signal, std::memory_order_relaxed); }

}  // namespace

void handle_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  // Back to the default after the first, so that a second Ctrl-C always works; and no
  // SA_RESTART, so that a blocking read or wait returns.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return received.load(std::memory_order_relaxed) != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

void end_by_signal() {
  const int signal = received.load();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace kiln::cli
