// How much of a mesh each rank is to have.
#include "kiln/mpi/balance.hpp"

#include <algorithm>
#include <chrono>

#include "mpi/shares.hpp"
#include "mpi/transport.hpp"

namespace kiln::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double worth_it = 1.05;  ///< what is taken now, of what would be taken
constexpr int most_cuts = 4;

}  // namespace

struct Balancing::State {
  Communicator comm;
  mesh::Mesh& mesh;
  mesh::Set primary;
  std::shared_ptr<mesh::Transport> among = transport(comm);
  std::vector<Work> work = {};  ///< of this rank, a cut each
  int cuts = 0;
  bool is_done = false;
  std::optional<Clock::time_point> since = {};
  double waited = 0, computed = 0;  ///< until then: in exchanges; by the device
  /// The cut so far with which steps took the least time, whatever was made of what ranks did.
  double best = 0;
  std::vector<double> best_shares = {};

  void note() {
    waited = mesh.wait_seconds();
    computed = 0;
    for (const auto& loop : mesh.report()) computed += loop.seconds;
  }
  /// A device of its own computes while the host waits for others; what starts the threads of a
  /// CPU is not among the times of its kernels.
  double busy_of(double all) {
    const double waited_before = waited, computed_before = computed;
    note();
    return std::max(computed - computed_before, all - (waited - waited_before));
  }
  template <class T>
  std::vector<T> of_all(const T& mine) const {
    return mpi::of_all(*among, mine, "what ranks did");
  }
  std::optional<std::vector<double>> end_with_the_best(double seconds) {
    is_done = true;
    if (seconds <= worth_it * best) return std::nullopt;
    return best_shares;
  }
};

Balancing::Balancing(const Communicator& comm, mesh::Mesh& mesh, mesh::Set primary)
    : state_(std::make_unique<State>(State{comm, mesh, std::move(primary)})) {}
Balancing::~Balancing() = default;

bool Balancing::is_done() const { return state_->is_done; }

std::optional<std::vector<double>> Balancing::next() {
  State& state = *state_;
  if (state.is_done) return std::nullopt;
  state.mesh.finish();
  if (!state.since) {
    state.note();
    state.of_all(0);  // the first report of a process takes long: none begins before the others
    state.since = Clock::now();
    return std::nullopt;
  }
  struct Steps {
    Work work;
    double seconds;  ///< with what it waited
  } mine{{static_cast<double>(state.primary.size()), 0},
         std::chrono::duration<double>(Clock::now() - *state.since).count()};
  mine.work.seconds = state.busy_of(mine.seconds);
  state.since.reset();
  if (mine.work.elements > 0) state.work.push_back(mine.work);
  double elements = 0, slowest = 0, seconds = 0;
  std::vector<double> shares;
  for (const Steps& steps : state.of_all(mine)) {
    elements += steps.work.elements;
    if (steps.work.elements > 0) slowest = std::max(slowest, steps.work.seconds);
    seconds = std::max(seconds, steps.seconds);
    shares.push_back(steps.work.elements);
  }
  for (double& share : shares) share /= std::max(elements, 1.0);
  if (state.best_shares.empty() || seconds < state.best) {
    state.best = seconds;
    state.best_shares = shares;
  }
  const EvenShares found = even_shares(state.of_all(cost_of(state.work)), elements);
  if (slowest <= worth_it * found.seconds || state.cuts == most_cuts)
    return state.end_with_the_best(seconds);
  ++state.cuts;
  return found.shares;
}

}  // namespace kiln::mpi
