// Time steps of airfoil over ranks.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "mpi/ranks/cases.hpp"

namespace kiln::bench {

AirfoilRows::AirfoilRows(const mpi::Communicator& comm, const std::string& path) {
  const auto block = mpi::MeshFileBlock::read(comm, path);
  const auto absent = [&](const char* name) {
    return Error(
        Errc::bad_input,
        fmt::format("{}: no '{}', expected a mesh of airfoil (kiln mesh naca0012)", path, name));
  };
  const auto count_of = [&](const char* name) {
    const auto* set = block.find_set(name);
    if (set == nullptr) throw absent(name);
    return set;
  };
  const auto map = [&](const char* name) {
    const auto* found = block.find_map(name);
    if (found == nullptr) throw absent(name);
    return std::vector<std::int32_t>(found->values.begin(), found->values.end());
  };
  const auto dat = [&]<class T>(const char* name, std::vector<T>& to) {
    const auto* found = block.find_dat(name);
    if (found == nullptr) throw absent(name);
    to.resize(found->bytes.size() / sizeof(T));
    std::copy_n(found->bytes.data(), found->bytes.size(), reinterpret_cast<std::byte*>(to.data()));
  };
  dat("p_bound", bound_);
  dat("p_x", x_);
  cell_nodes_ = map("pcell"), edge_nodes_ = map("pedge"), edge_cells_ = map("pecell");
  bedge_nodes_ = map("pbedge"), bedge_cells_ = map("pbecell");
  grid_.nodes = static_cast<std::size_t>(count_of("nodes")->count);
  grid_.cells = static_cast<std::size_t>(count_of("cells")->count);
  grid_.all_cells = static_cast<std::size_t>(count_of("cells")->size);
  grid_.cell_nodes = cell_nodes_, grid_.edge_nodes = edge_nodes_, grid_.edge_cells = edge_cells_;
  grid_.bedge_nodes = bedge_nodes_, grid_.bedge_cells = bedge_cells_;
  grid_.bound = bound_, grid_.x = x_;
}

Flow::Flow(const mpi::Communicator& comm, const std::string& path,
           const mesh::Mesh::Options& options, const mpi::RuntimeOptions& where, Numbers numbers)
    : runtime_(mpi::runtime_for_rank(comm, where)),
      transport_(mpi::transport(comm)),
      figures_(*transport_),
      mesh_(runtime_, transport_, options) {
  const AirfoilRows rows(comm, path);
  flow_ = std::make_unique<::airfoil::Airfoil<double>>(mesh_, rows.grid());
  if (comm.size() > 1 || numbers == Numbers::of_parts)
    mesh_.partition(mpi::scotch(flow_->cells(), {flow_->edge_cells()}));
  for (int step = 0; step < 3; ++step) flow_->step();
  mesh_.finish();
}

double Flow::timed(int steps) {
  figures_.meet();
  const Stopwatch watch;
  for (int step = 0; step < steps; ++step) flow_->step();
  mesh_.finish();
  return figures_.largest(watch.seconds());
}

Found steps_case(const mpi::Environment& mpi, const Words& words) {
  const std::string& path = word_in(words, 0, "a mesh of airfoil");
  const int steps = number_in(words, 1, "steps"), rounds = number_in(words, 2, "rounds");
  Flow flow(mpi.comm(), path, {}, {.devices = words.size() > 3 ? words[3] : ""});
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) times.push_back(1e3 * flow.timed(steps) / steps);
  return {{"step_ms", median(times)},
          {"steps_ms", times},
          {"rms", flow.flow().rms()},
          {"device", flow.mesh().device_name()}};
}

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
    if (side == now) flow.emplace(mpi::Communicator(own), path, mesh::Mesh::Options{});
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
  Flow flow(mpi.comm(), path, {});
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
