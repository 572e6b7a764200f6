#include "mpi/communicator.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "base/data/text.hpp"

namespace kiln::mpi {
namespace {

bool is_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

/// Memory that the ranks of a machine share, for the verdict. Without it each rank speaks for
/// itself.
void share_verdict(Communicator::State& state) {
  const MPI_Aint bytes = state.local_rank == 0 ? sizeof(int) : 0;
  void* own = nullptr;
  if (MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, state.local,
                              static_cast<void*>(&own), &state.verdict_memory) != MPI_SUCCESS)
    state.verdict_memory = MPI_WIN_NULL;
  MPI_Aint size = 0;
  int unit = 0;
  void* first = nullptr;
  if (state.verdict_memory != MPI_WIN_NULL &&
      MPI_Win_shared_query(state.verdict_memory, 0, &size, &unit, static_cast<void*>(&first)) ==
          MPI_SUCCESS)
    state.verdict = static_cast<int*>(first);
  if (state.local_rank == 0 && state.verdict != nullptr) *state.verdict = 0;
  MPI_Barrier(state.local);
}

bool is_traced(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  constexpr std::string_view key = "TracerPid:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key))
      return line.find_first_not_of(" \t0", key.size()) != std::string::npos;
  return false;
}

/// Writes a line to standard error, and waits until the launcher has read it: it says itself that
/// ranks were ended, which is to come after the reason.
void say(std::string_view line) {
  const std::string text = fmt::format("{}\n", line);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  int unread = 0;
  while (::ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  // And until it has passed it on.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

/// Waits until the rank that speaks has spoken, for five seconds at most, and gives its exit code.
int exit_code_of_speaker(std::atomic_ref<int> verdict, int own) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (verdict.load() == 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  const int said = verdict.load();
  return said >= 2 ? said - 2 : own;
}

}  // namespace

void check(int code, std::string_view what) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw Error(Errc::io, fmt::format("mpi: {}: {}", what, one_line(text)));
}

OwnComm::OwnComm(MPI_Comm of) {
  check(MPI_Comm_dup(of, &comm_), "duplicating a communicator");
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}
OwnComm::OwnComm(OwnComm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
OwnComm::~OwnComm() {
  if (comm_ != MPI_COMM_NULL && is_running()) MPI_Comm_free(&comm_);
}

Communicator::State::State(MPI_Comm of) : comm(of), questions(of) {
  MPI_Comm_rank(comm.get(), &rank);
  MPI_Comm_size(comm.get(), &size);
  check(MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &local),
        "finding the ranks of this machine");
  MPI_Comm_rank(local, &local_rank);
  MPI_Comm_size(local, &local_size);
  local_processes.resize(static_cast<std::size_t>(local_size));
  const pid_t own = ::getpid();
  static_assert(sizeof(pid_t) == sizeof(int));
  check(MPI_Allgather(&own, 1, MPI_INT, local_processes.data(), 1, MPI_INT, local),
        "finding the processes of this machine");
  local_ranks.resize(local_processes.size());
  check(MPI_Allgather(&rank, 1, MPI_INT, local_ranks.data(), 1, MPI_INT, local),
        "finding the ranks of this machine");
  share_verdict(*this);
}

Communicator::State::~State() {
  if (!is_running()) return;
  if (verdict_memory != MPI_WIN_NULL) MPI_Win_free(&verdict_memory);
  if (local != MPI_COMM_NULL) MPI_Comm_free(&local);
}

Communicator::Communicator(MPI_Comm comm) {
  if (!is_running())
    throw Error(Errc::bad_input,
                "mpi: MPI is not initialised, expected kiln::mpi::Environment or MPI_Init");
  if (comm == MPI_COMM_NULL)
    throw Error(Errc::bad_input, "mpi: found MPI_COMM_NULL, expected a communicator");
  state_ = std::make_shared<State>(comm);
}
MPI_Comm Communicator::handle() const { return state_->comm.get(); }
int Communicator::rank() const { return state_->rank; }
int Communicator::size() const { return state_->size; }
int Communicator::local_rank() const { return state_->local_rank; }
int Communicator::local_size() const { return state_->local_size; }

void end_all(const Communicator::State& state, int exit_code, std::string_view line,
             Ending ending) {
  int spoken = 0;
  if (state.verdict != nullptr) {
    const std::atomic_ref verdict(*state.verdict);
    if (!verdict.compare_exchange_strong(spoken, 1))
      exit_code = exit_code_of_speaker(verdict, exit_code);
  }
  if (spoken == 0) {
    say(line);
    if (state.verdict != nullptr) std::atomic_ref(*state.verdict).store(2 + exit_code);
  }
  if (ending == Ending::by_mpi) MPI_Abort(state.comm.get(), exit_code);
  ::_exit(exit_code);
}

bool debugger_holds(const Communicator::State& state) {
  for (const pid_t process : state.local_processes)
    if (is_traced(process)) return true;
  return false;
}

std::string name_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;
  if (ranks.empty()) return "no rank";
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  const std::size_t shown = ranks.size() > most ? most : ranks.size() - 1;
  const std::string last = ranks.size() > most ? fmt::format("{} others", ranks.size() - most)
                                               : fmt::to_string(ranks.back());
  return fmt::format(
      "ranks {} and {}",
      fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(shown), ", "), last);
}

}  // namespace kiln::mpi
