// Who looks after calls of other libraries.
#include "mpi/watched_call.hpp"

#include <signal.h>

#include <fstream>

#include "base/data/text.hpp"

namespace kiln::mpi {
namespace {

/// By a signal, as Ctrl-Z sends.
bool is_stopped(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(") ");
  return name_end != std::string::npos && name_end + 2 < line.size() && line[name_end + 2] == 'T';
}

std::vector<int> stopped_ranks(const Communicator::State& state) {
  std::vector<int> ranks;
  for (std::size_t at = 0; at < state.local_processes.size(); ++at)
    if (is_stopped(state.local_processes[at])) ranks.push_back(state.local_ranks[at]);
  return ranks;
}

/// Signals are for the threads of the application.
class SignalsElsewhere {
 public:
  SignalsElsewhere() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsElsewhere(const SignalsElsewhere&) = delete;
  SignalsElsewhere& operator=(const SignalsElsewhere&) = delete;
  ~SignalsElsewhere() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

WatchedCall::WatchedCall(const Watch& watch, std::string what)
    : comm_(watch.comm()), limit_(watch.call_limit()), what_(std::move(what)) {
  if (limit_.count() == 0 || comm_.size() == 1) return;
  const SignalsElsewhere elsewhere;
  thread_ = std::thread([this] { look_after(); });
}

WatchedCall::~WatchedCall() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void WatchedCall::look_after() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, limit_, [&] { return is_over_; })) {
    if (debugger_holds(*comm_.state())) continue;
    std::string line = fmt::format("kiln: rank {}: {}: not done after {}", comm_.rank(),
                                   one_line(what_), seconds_text(limit_));
    if (const auto ranks = stopped_ranks(*comm_.state()); !ranks.empty())
      line += fmt::format("; {} {} stopped", name_ranks(ranks), ranks.size() == 1 ? "is" : "are");
    end_all(*comm_.state(), exit_code(Errc::timeout), line, Ending::of_process);
  }
}

}  // namespace kiln::mpi
