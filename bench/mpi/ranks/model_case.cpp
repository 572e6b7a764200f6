// What a time step of airfoil takes on ranks, computed beforehand (docs/scaling.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "mpi/ranks/cases.hpp"
#include "mpi/ranks/flow.hpp"

namespace kiln::bench {
namespace {

/// Of the network: seconds, and bytes a second.
struct Network {
  double overhead = 0.5e-6, latency = 1.5e-6, bandwidth = 10e9;
  /// Of a part's own time: it sends to its neighbours, and receives.
  double calls(double neighbours) const { return 2 * neighbours * overhead; }
  /// Until the messages of all neighbours are there, while the part computes.
  double flight(double halo_cells) const { return latency + 40 * halo_cells / bandwidth; }
};

/// One way between ranks 0 and 1; seconds.
double one_way(const mpi::Communicator& comm, int bytes) {
  std::vector<char> buffer(static_cast<std::size_t>(bytes));
  std::vector<double> times;
  constexpr int rounds = 300, warm_up = 50;
  MPI_Barrier(comm.handle());
  for (int round = 0; round < rounds + warm_up && comm.rank() < 2; ++round) {
    const int other = 1 - comm.rank();
    const Stopwatch watch;
    if (comm.rank() == 0) MPI_Send(buffer.data(), bytes, MPI_BYTE, other, 0, comm.handle());
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, other, 0, comm.handle(), MPI_STATUS_IGNORE);
    if (comm.rank() == 1) MPI_Send(buffer.data(), bytes, MPI_BYTE, other, 0, comm.handle());
    if (round >= warm_up) times.push_back(watch.seconds() / 2);
  }
  double time = times.empty() ? 0 : median(times);
  MPI_Bcast(&time, 1, MPI_DOUBLE, 0, comm.handle());
  return time;
}

/// What a call costs that begins to send; seconds.
double sending(const mpi::Communicator& comm) {
  constexpr int rounds = 300;
  std::vector<double> times;
  char byte = 0;
  for (int round = 0; round < rounds && comm.rank() < 2; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (comm.rank() == 1) {
      MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, comm.handle(), MPI_STATUS_IGNORE);
      continue;
    }
    const Stopwatch watch;
    MPI_Isend(&byte, 1, MPI_BYTE, 1, 0, comm.handle(), &request);
    times.push_back(watch.seconds());
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  double time = times.empty() ? 0 : median(times);
  MPI_Bcast(&time, 1, MPI_DOUBLE, 0, comm.handle());
  return time;
}

Network measured_network(const mpi::Communicator& comm) {
  if (comm.size() == 1) return {0, 0, 1e300};
  constexpr int halo = 40'000;
  Network network;
  network.overhead = sending(comm);
  const double small = one_way(comm, 8), large = one_way(comm, halo);
  network.latency = std::max(small - 2 * network.overhead, 0.0);
  network.bandwidth = halo / std::max(large - small, 1e-9);
  return network;
}

/// A number of all ranks, as Globals are brought together.
double reduction(const Figures& figures) {
  std::vector<double> times;
  for (int round = 0; round < 300; ++round) {
    const Stopwatch watch;
    figures.meet();
    times.push_back(watch.seconds());
  }
  return figures.largest(median(times));
}

/// What res_calc reads of other parts.
struct Halo {
  double cells = 0;       ///< owned
  double neighbours = 0;  ///< parts whose cells it reads
  double copies = 0;      ///< such cells
  double core_share = 1;  ///< of its edges that read none
};

Halo halo_of(Flow& flow, int ranks) {
  const auto& edge_cells = flow.flow().edge_cells();
  Halo halo{.cells = static_cast<double>(flow.flow().cells().size())};
  if (ranks == 1) return halo;
  const auto& cells = flow.mesh().part(flow.flow().cells());
  const auto& edges = flow.mesh().part(edge_cells.from());
  std::vector<char> is_read(cells.sizes[3], 0);
  // Of others' edges those that lead to cells here by this map, the second one from edges.
  constexpr std::uint64_t by_cells = 2;
  for (std::size_t edge = 0; edge < edges.sizes[2]; ++edge) {
    if (edge >= edges.sizes[1] && (edges.exec_maps[edge - edges.sizes[1]] & by_cells) == 0)
      continue;
    for (const std::int32_t cell : edge_cells.values().subspan(2 * edge, 2))
      is_read[static_cast<std::size_t>(cell)] = 1;
  }
  for (const auto& neighbour : cells.neighbours) {
    const auto count = std::ranges::count_if(neighbour.imports, [&](std::int32_t copy) {
      return is_read[static_cast<std::size_t>(copy)] != 0;
    });
    halo.neighbours += count > 0 ? 1 : 0;
    halo.copies += static_cast<double>(count);
  }
  halo.core_share = static_cast<double>(edges.sizes[0]) / static_cast<double>(edges.sizes[2]);
  return halo;
}

/// What a step's share is that res_calc computes.
double share_of_res_calc(Flow& flow) {
  flow.mesh().clear_report();
  flow.timed(10);
  double all = 0, res_calc = 0;
  for (const auto& loop : flow.mesh().report()) {
    all += loop.seconds;
    if (loop.name == "res_calc") res_calc = loop.seconds;
  }
  return res_calc / all;
}

/// Of a step whose parts have so many cells, in seconds: docs/scaling.md, T.
double predicted(double cells, double cell_time, double res_calc_share, double core_share,
                 const Network& network, double neighbours, double halo_cells, double reductions) {
  const double compute = cells * cell_time;
  const double core = compute * res_calc_share / 2 * core_share;
  const double exposed = std::max(0.0, network.flight(halo_cells) - core);
  return compute + 2 * (network.calls(neighbours) + exposed) + reductions;
}

/// 10^9 cells on 1,024 ranks of a cluster, with the sizes of halos that Scotch's partitions have.
Found forecast(double cell_time, double res_calc_share) {
  constexpr double cells = 1e9, ranks = 1024, imbalance = 1.03, round_trip = 1e-6;
  const double mean = cells / ranks, halo = 6.2 * std::sqrt(mean);
  const double all_reduce = 2 * std::log2(ranks) * (0.5e-6 + 1.5e-6);
  Found rows = Found::array();
  for (const double reductions : {0.01, 2.0}) {
    const double time =
        predicted(imbalance * mean, cell_time, res_calc_share, 1 - 2.7 / std::sqrt(mean), Network{},
                  9, halo, reductions * (all_reduce + round_trip));
    rows.push_back({{"cells", cells},
                    {"ranks", ranks},
                    {"reductions", reductions},
                    {"step_ms", 1e3 * time},
                    {"calls_us", 1e6 * Network{}.calls(9)},
                    {"flight_us", 1e6 * Network{}.flight(halo)},
                    {"efficiency", mean * cell_time / time}});
  }
  return rows;
}

}  // namespace

Found model_case(const mpi::Environment& mpi, const Words& words) {
  const std::string& path = word_in(words, 0, "a mesh of airfoil");
  const std::string& small = word_in(words, 1, "a mesh of airfoil as large as a part");
  const int steps = number_in(words, 2, "steps"), rounds = number_in(words, 3, "rounds");
  const mpi::RuntimeOptions where{.devices = "cpu"};
  Flow flow(mpi.comm(), path, {}, where);
  const Figures& figures = flow.figures();
  // The same computing without any message, on all ranks at once: what a cell costs while other
  // cores use the memory, too. In threads of its own size, as flow has bound them.
  const mpi::Communicator alone(MPI_COMM_SELF);
  const mpi::RuntimeOptions where_alone{.devices = where.devices, .threads = flow.threads()};
  const auto numbers = mpi.size() > 1 ? Flow::Numbers::of_parts : Flow::Numbers::of_file;
  Flow part(alone, small, {}, where_alone, numbers);
  mesh::Mesh::Options timing;
  timing.timing = true;
  double share = 0;
  {
    Flow timed(alone, small, timing, where_alone, numbers);
    figures.meet();
    share = figures.sum(share_of_res_calc(timed)) / mpi.size();
  }

  const Halo own = halo_of(flow, mpi.size());
  const double largest = figures.largest(own.cells), mean = figures.sum(own.cells) / mpi.size();
  const double neighbours = figures.largest(own.neighbours), halo = figures.largest(own.copies);
  const double core_share = -figures.largest(-own.core_share);

  flow.mesh().clear_report();
  std::vector<double> real, computing;
  const auto part_cells = static_cast<double>(part.flow().cells().size());
  for (int round = 0; round < rounds; ++round) {
    real.push_back(flow.timed(steps) / steps);
    figures.meet();
    computing.push_back(figures.largest(part.timed(steps)) / steps);
  }
  const double cell_time = median(computing) / part_cells;
  const Network network = measured_network(mpi.comm());
  const double all_reduce = mpi.size() > 1 ? reduction(figures) : 0;
  // These steps ask for no sum.
  const double time =
      predicted(largest, cell_time, share, core_share, network, neighbours, halo, 0);
  double messages = 0, bytes = 0;
  for (const auto& loop : flow.mesh().report()) {
    messages += static_cast<double>(loop.halo.messages);
    bytes += static_cast<double>(loop.halo.bytes);
  }
  const double all_steps = static_cast<double>(steps) * rounds;
  return {{"ranks", mpi.size()},
          {"cell_ns", 1e9 * cell_time},
          {"imbalance", largest / mean},
          {"neighbours", neighbours},
          {"halo_cells", halo},
          {"core_share", core_share},
          {"res_calc_share", share},
          {"overhead_us", 1e6 * network.overhead},
          {"latency_us", 1e6 * network.latency},
          {"bandwidth_gb", 1e-9 * network.bandwidth},
          {"all_reduce_us", 1e6 * all_reduce},
          {"calls_us", 1e6 * network.calls(neighbours)},
          {"flight_us", 1e6 * network.flight(halo)},
          {"core_us", 1e6 * largest * cell_time * share / 2 * core_share},
          {"predicted_ms", 1e3 * time},
          {"measured_ms", 1e3 * median(real)},
          {"off", time / median(real) - 1},
          {"messages", figures.sum(messages) / all_steps},
          {"messages_expected", 2 * figures.sum(own.neighbours)},
          {"bytes", figures.sum(bytes) / all_steps},
          {"bytes_expected", 80 * figures.sum(own.copies)},
          {"forecast", forecast(cell_time, share)}};
}

}  // namespace kiln::bench
