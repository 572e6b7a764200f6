#include "cli/command/interrupt.hpp"

#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace kiln::cli {
namespace {

std::atomic<int> received{0};
// Long enough for code that looks at the flag, and hardly a wait for a person. Some commands set a
// longer time (end_in_good_order()).
std::atomic<std::int64_t> patience_ms{250};
static_assert(std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may not take a lock");

std::atomic<int> at_once{0};

void start_clock() {
  const std::int64_t ms = patience_ms.load(std::memory_order_relaxed);
  const itimerval once{{0, 0}, {ms / 1000, ms % 1000 * 1000}};
  ::setitimer(ITIMER_REAL, &once, nullptr);  // a plain system call, which a handler may make
}

void remember(int signal) {
  received.store(signal, std::memory_order_relaxed);
  if (at_once.load(std::memory_order_relaxed) > 0) {
    // Raised again it waits until this handler has returned: then it has its usual effect.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  start_clock();
}

/// Ends the process when the time is up: a kernel or a compiler that hangs never looks at the flag,
/// and neither can be stopped alone.
void run_out_of_patience(int) {
  const int signal = received.load(std::memory_order_relaxed);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// What this process was started with, by the signals that handle_signals() changes.
constexpr int changed[] = {SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGXFSZ, SIGCHLD};
struct sigaction inherited[std::size(changed)];
bool are_changed = false;

}  // namespace

void handle_signals() {
  for (std::size_t i = 0; i < std::size(changed); ++i)
    sigaction(changed[i], nullptr, &inherited[i]);
  are_changed = true;
  struct sigaction action {};
  action.sa_handler = remember;
  // Back to the default after the first, so that a second Ctrl-C always works; and no
  // SA_RESTART, so that a blocking read or wait returns.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = run_out_of_patience;
  sigaction(SIGALRM, &action, nullptr);
  // What these two would end the command for is an error of the write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Inherited as ignored, it would keep from this process how its children end.
  std::signal(SIGCHLD, SIG_DFL);
}

void give_back_signals() {
  for (std::size_t i = 0; are_changed && i < std::size(changed); ++i)
    sigaction(changed[i], &inherited[i], nullptr);
}

void end_in_good_order(std::chrono::seconds most) {
  // A timer of 0 seconds would never fire.
  constexpr std::int64_t longest = std::numeric_limits<int>::max();
  patience_ms.store(std::clamp<std::int64_t>(most.count(), 1, longest) * 1000,
                    std::memory_order_relaxed);
  // The signal may have come before, and its timer runs: start it again with the new time.
  if (interrupted()) start_clock();
}

bool interrupted() { return received.load(std::memory_order_relaxed) != 0; }

int received_signal() { return received.load(std::memory_order_relaxed); }

void stop_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

EndsAtOnce::EndsAtOnce() {
  at_once.fetch_add(1, std::memory_order_relaxed);
  if (!interrupted()) return;
  at_once.fetch_sub(1, std::memory_order_relaxed);
  throw Interrupted{};
}

EndsAtOnce::~EndsAtOnce() { at_once.fetch_sub(1, std::memory_order_relaxed); }

void end_by_signal() {
  const int signal = received.load();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace kiln::cli
