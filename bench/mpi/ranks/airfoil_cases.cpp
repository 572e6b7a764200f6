// Time steps of airfoil over ranks that are set against others: of fewer ranks, of late messages.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "base/clock.hpp"
#include "mpi/ranks/cases.hpp"
#include "mpi/ranks/flow.hpp"

namespace kiln::bench {

namespace {

/// Ranks that take turns. Who has no turn sleeps: another rank is measured on his core.
class Turns {
 public:
  explicit Turns(MPI_Comm comm) : comm_(comm) {}
  /// Waits until all ranks are here.
  void meet() const {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    for (int is_done = 0; is_done == 0;) {
      MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
      if (is_done == 0) ::usleep(200);
    }
  }

 private:
  MPI_Comm comm_;
};

mpi::RuntimeOptions on_cpus() { return {.devices = "cpu"}; }

}  // namespace

Found duel_case(const mpi::Environment& mpi, const Words& words) {
  const std::string& path = word_in(words, 0, "a mesh of airfoil");
  const int steps = number_in(words, 1, "steps"), rounds = number_in(words, 2, "rounds");
  if (mpi.size() != 3)
    throw Error(Errc::bad_input,
                fmt::format("bench-mpi duel: found {} ranks, expected 3", mpi.size()));
  const int side = mpi.rank() == 2 ? 1 : 0;  // 0: the two
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_split(mpi.comm().handle(), side, mpi.rank(), &own);
  const Turns turns(mpi.comm().handle());
  std::optional<Flow> flow;
  for (int now = 0; now < 2; ++now) {
    if (side == now) flow.emplace(mpi::Communicator(own), path, mesh::Mesh::Options{}, on_cpus());
    turns.meet();
  }
  std::vector<double> times;
  for (int round = 0; round < 2 * rounds; ++round) {
    // Who goes first changes from pair to pair.
    const int now = (round + round / 2) % 2;
    if (side == now) times.push_back(1e3 * flow->timed(steps) / steps);
    turns.meet();
  }
  const double rms = flow->flow().rms();
  std::vector<double> theirs(times.size());
  double their_rms = 0;
  if (mpi.rank() == 2) {
    MPI_Send(times.data(), rounds, MPI_DOUBLE, 0, 0, mpi.comm().handle());
    MPI_Send(&rms, 1, MPI_DOUBLE, 0, 0, mpi.comm().handle());
  } else if (mpi.rank() == 0) {
    MPI_Recv(theirs.data(), rounds, MPI_DOUBLE, 2, 0, mpi.comm().handle(), MPI_STATUS_IGNORE);
    MPI_Recv(&their_rms, 1, MPI_DOUBLE, 2, 0, mpi.comm().handle(), MPI_STATUS_IGNORE);
  }
  flow.reset();
  MPI_Comm_free(&own);
  return {{"two_ms", times}, {"one_ms", theirs}, {"rms", {rms, their_rms}}};
}

Found delay_case(const mpi::Environment& mpi, const Words& words) {
  const std::string& path = word_in(words, 0, "a mesh of airfoil");
  const int steps = number_in(words, 1, "steps"), rounds = number_in(words, 2, "rounds");
  const double seconds = 1e-6 * number_in(words, 3, "microseconds");
  auto* delay = reinterpret_cast<void (*)(double)>(::dlsym(RTLD_DEFAULT, "kiln_mpi_delay"));
  auto* started =
      reinterpret_cast<void (*)(long long*, long long*)>(::dlsym(RTLD_DEFAULT, "kiln_mpi_started"));
  if (delay == nullptr || started == nullptr)
    throw Error(Errc::bad_input, "bench-mpi delay: expected libkiln-mpi-delay.so preloaded");
  Flow flow(mpi.comm(), path, {}, on_cpus());
  std::vector<double> late, prompt;
  long long messages = 0, bytes = 0, messages_before = 0, bytes_before = 0;
  started(&messages_before, &bytes_before);
  for (int round = 0; round < 2 * rounds; ++round) {
    const bool is_late = (round + round / 2) % 2 == 0;
    delay(is_late ? seconds : 0);
    (is_late ? late : prompt).push_back(1e3 * flow.timed(steps) / steps);
  }
  started(&messages, &bytes);
  const Figures& figures = flow.figures();
  const double all_steps = 2.0 * rounds * steps;
  return {{"late_ms", late},
          {"prompt_ms", prompt},
          {"messages", figures.sum(static_cast<double>(messages - messages_before)) / all_steps},
          {"bytes", figures.sum(static_cast<double>(bytes - bytes_before)) / all_steps}};
}

}  // namespace kiln::bench
