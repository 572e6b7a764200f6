// From a file to a mesh in parts: the cut, the time, the memory.
#include <fmt/format.h>
#include <malloc.h>

#include <fstream>

#include "base/clock.hpp"
#include "mpi/ranks/cases.hpp"

#ifdef KILN_WITH_SCOTCH
#include <ptscotch.h>
#endif

namespace kiln::bench {
namespace {

/// All ranks' parts, by vertex.
std::vector<std::int32_t> whole(mesh::Transport& transport, const std::vector<std::int32_t>& mine) {
  std::vector<mesh::Transport::Packet> packets;
  const auto bytes = std::as_bytes(std::span(mine));
  for (int rank = 0; rank < transport.size(); ++rank)
    packets.push_back({rank, {bytes.begin(), bytes.end()}});
  std::vector<std::int32_t> all;
  for (const auto& packet : transport.deliver(std::move(packets), "bench-mpi: parts")) {
    const auto before = all.size();
    all.resize(before + packet.bytes.size() / sizeof(std::int32_t));
    std::copy_n(packet.bytes.data(), packet.bytes.size(),
                reinterpret_cast<std::byte*>(all.data() + before));
  }
  return all;
}

struct Quality {
  double cut = 0, balance = 0;
};

Quality quality_of(const mesh::PartitionInput& graph, const std::vector<std::int32_t>& mine) {
  const auto parts = whole(graph.transport, mine);
  std::vector<double> sizes(static_cast<std::size_t>(graph.transport.size()));
  for (const std::int32_t part : parts) ++sizes[static_cast<std::size_t>(part)];
  double cut = 0;
  for (std::size_t vertex = 0; vertex < mine.size(); ++vertex)
    for (auto at = graph.starts[vertex]; at < graph.starts[vertex + 1]; ++at)
      cut += parts[static_cast<std::size_t>(graph.neighbours[static_cast<std::size_t>(at)])] !=
                     mine[vertex]
                 ? 0.5
                 : 0;
  return {Figures(graph.transport).sum(cut), std::ranges::max(sizes) *
                                                 static_cast<double>(sizes.size()) /
                                                 static_cast<double>(parts.size())};
}

#ifdef KILN_WITH_SCOTCH
/// PT-Scotch as its manual has it, by its default strategy for so large an imbalance.
std::vector<std::int32_t> scotch_alone(const mesh::PartitionInput& graph, MPI_Comm comm, int seed,
                                       double imbalance) {
  SCOTCH_Dgraph distributed;
  SCOTCH_Strat strategy;
  std::vector<SCOTCH_Num> starts(graph.starts.begin(), graph.starts.end()),
      neighbours(graph.neighbours.begin(), graph.neighbours.end());
  const auto count = static_cast<SCOTCH_Num>(starts.size() - 1),
             edges = static_cast<SCOTCH_Num>(neighbours.size());
  std::vector<SCOTCH_Num> parts(starts.size());
  SCOTCH_randomSeed(seed);
  SCOTCH_randomReset();
  SCOTCH_dgraphInit(&distributed, comm);
  SCOTCH_dgraphBuild(&distributed, 0, count, count, starts.data(), starts.data() + 1, nullptr,
                     nullptr, edges, edges, neighbours.data(), nullptr, nullptr);
  SCOTCH_stratInit(&strategy);
  const int ranks = graph.transport.size();
  SCOTCH_stratDgraphMapBuild(&strategy, SCOTCH_STRATDEFAULT, ranks, ranks, imbalance);
  SCOTCH_dgraphPart(&distributed, ranks, &strategy, parts.data());
  SCOTCH_stratExit(&strategy);
  SCOTCH_dgraphExit(&distributed);
  return {parts.begin(), parts.end() - 1};
}
#endif

/// Of /proc/self/status, bytes.
double memory_of(const char* field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return 1024 * std::stod(line.substr(line.find(':') + 1));
  return 0;
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

Found partition_case(const mpi::Environment& mpi, const Words& words) {
#ifdef KILN_WITH_SCOTCH
  const auto transport = mpi::transport(mpi.comm());
  mesh::Mesh mesh(mpi::runtime_for_rank(mpi.comm()), transport);
  auto file = mpi::read_hdf5(mesh, word_in(words, 0, "a mesh of airfoil"));
  const mesh::Map edge_cells = file.map("pecell");
  const mpi::CutOptions options;
  auto partitioner = mpi::scotch(edge_cells.to(), {edge_cells}, options);
  const Figures figures(*transport);
  Quality ours;
  double seconds = 0;
  std::vector<double> cuts, times, balances;
  partitioner.cut = [&, own = partitioner.cut](const mesh::PartitionInput& graph) {
    // Its lists are needed to the end.
    mesh::PartitionInput kept{graph.transport,   graph.first, graph.starts, graph.neighbours,
                              graph.coordinates, graph.dim,   graph.weights};
    std::vector<std::int32_t> parts;
    Stopwatch watch;
    for (int round = 0; round < 3; ++round) {
      figures.meet();
      watch = {};
      parts = own(kept);
      const double taken = figures.largest(watch.seconds());
      seconds = round == 0 ? taken : std::min(seconds, taken);
    }
    ours = quality_of(graph, parts);
    for (int seed = 1; seed <= 5; ++seed) {
      figures.meet();
      watch = {};
      const auto theirs = scotch_alone(graph, mpi.comm().handle(), seed, options.imbalance);
      times.push_back(figures.largest(watch.seconds()));
      const Quality quality = quality_of(graph, theirs);
      cuts.push_back(quality.cut);
      balances.push_back(quality.balance);
    }
    return parts;
  };
  mesh.partition(partitioner);
  return {{"cut", ours.cut},           {"balance", ours.balance},    {"seconds", seconds},
          {"alone_cuts", cuts},        {"alone_balances", balances}, {"alone_seconds", times},
          {"alone_cut", median(cuts)}, {"alone_time", median(times)}};
#else
  throw Error(Errc::unsupported, "bench-mpi partition: Kiln was built without PT-Scotch");
#endif
}

Found setup_case(const mpi::Environment& mpi, const Words& words) {
  const std::string& path = word_in(words, 0, "a mesh of airfoil");
  const auto transport = mpi::transport(mpi.comm());
  const Figures figures(*transport);
  mesh::Mesh mesh(mpi::runtime_for_rank(mpi.comm()), transport);
  ::malloc_trim(0);
  figures.meet();
  forget_peak();
  const double before = memory_of("VmRSS");
  const Stopwatch watch;
  auto file = std::make_unique<mpi::FileBlockObjects>(mpi::read_hdf5(mesh, path));
  std::vector<mesh::Map> maps;
  for (const char* name : {"pcell", "pedge", "pecell", "pbedge", "pbecell"})
    maps.push_back(file->map(name));
  const std::vector<mesh::Dat> dats{file->dat("p_bound"), file->dat("p_x")};
  file.reset();  // its rows are in the Mesh
  const double read = figures.largest(watch.seconds());
  mesh.partition(mpi::scotch(maps[2].to(), {maps[2]}));
  const double seconds = figures.largest(watch.seconds());
  const double peak = memory_of("VmHWM") - before;
  double share = 0;
  for (const mesh::Map& map : maps)
    share += static_cast<double>(map.from().total_size() * map.arity() * sizeof(std::int32_t));
  for (const mesh::Dat& dat : dats)
    share += static_cast<double>(dat.set().total_size() * dat.dim() * size_of(dat.type()));
  return {{"seconds", seconds},
          {"read_seconds", read},
          {"share", figures.largest(share)},
          {"peak", figures.largest(peak)},
          {"before", figures.largest(before)},
          {"after", figures.largest((::malloc_trim(0), memory_of("VmRSS")) - before)}};
}

}  // namespace kiln::bench
