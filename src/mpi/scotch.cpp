#include <fmt/format.h>

#include "mpi/partition.hpp"
#include "mpi/transport.hpp"
#include "mpi/watch.hpp"

#ifdef KILN_WITH_SCOTCH
#include <cstdio>
// Its header wants this first.
#include <ptscotch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#endif

namespace kiln::mpi {

#ifdef KILN_WITH_SCOTCH
namespace {

void check_scotch(int code, const char* what) {
  if (code != 0) throw Error(Errc::io, fmt::format("scotch: {} failed", what));
}

/// One thread, a fixed seed, and the way whose results do not depend on the order of threads.
class Context {
 public:
  explicit Context(int seed) {
    check_scotch(SCOTCH_contextInit(&context_), "a context");
    SCOTCH_contextRandomSeed(&context_, seed);
    SCOTCH_contextRandomReset(&context_);
    SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    check_scotch(SCOTCH_contextThreadSpawn(&context_, 1, nullptr), "a context of one thread");
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { SCOTCH_contextExit(&context_); }
  SCOTCH_Context* get() { return &context_; }

 private:
  SCOTCH_Context context_{};
};

class Graph {
 public:
  explicit Graph(MPI_Comm comm) { check_scotch(SCOTCH_dgraphInit(&graph_, comm), "a graph"); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { SCOTCH_dgraphExit(&graph_); }
  SCOTCH_Dgraph* get() { return &graph_; }

 private:
  SCOTCH_Dgraph graph_{};
};

class Strategy {
 public:
  Strategy() { SCOTCH_stratInit(&strategy_); }
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  ~Strategy() { SCOTCH_stratExit(&strategy_); }
  SCOTCH_Strat* get() { return &strategy_; }

 private:
  SCOTCH_Strat strategy_{};
};

/// Parts of equal or given shares, as an architecture for mappings.
class Shares {
 public:
  Shares(int parts, std::span<const double> weights) {
    SCOTCH_archInit(&shares_);
    if (weights.empty()) {
      check_scotch(SCOTCH_archCmplt(&shares_, parts), "equal parts");
      return;
    }
    // A thousandth of an equal share.
    const double unit = 1000.0 * parts;
    std::vector<SCOTCH_Num> loads;
    for (const double weight : weights)
      loads.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::lround(weight * unit))));
    check_scotch(SCOTCH_archCmpltw(&shares_, parts, loads.data()), "parts of given shares");
  }
  Shares(const Shares&) = delete;
  Shares& operator=(const Shares&) = delete;
  ~Shares() { SCOTCH_archExit(&shares_); }
  SCOTCH_Arch* get() { return &shares_; }

 private:
  SCOTCH_Arch shares_{};
};

/// How often a graph is cut: many times where that takes less than a second.
int attempts(const CutOptions& options, const GraphSize& size) {
  if (options.attempts > 0) return options.attempts;
  constexpr std::int64_t vertices_in_a_while = 300'000, most = 6;
  return static_cast<int>(std::clamp<std::int64_t>(vertices_in_a_while / size.vertices, 1, most));
}

/// Edges between parts, of all ranks, twice. `parts` has this rank's vertices.
std::int64_t cut_of(Graph& graph, const std::vector<SCOTCH_Num>& starts,
                    std::span<const SCOTCH_Num> parts, mesh::Transport& transport) {
  SCOTCH_Num with_ghosts = 0;
  SCOTCH_Num* neighbours = nullptr;
  SCOTCH_dgraphData(graph.get(), nullptr, nullptr, nullptr, nullptr, &with_ghosts, nullptr, nullptr,
                    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &neighbours, nullptr,
                    nullptr);
  std::vector<SCOTCH_Num> all(parts.begin(), parts.end());
  all.resize(std::max(all.size(), static_cast<std::size_t>(with_ghosts)));
  check_scotch(SCOTCH_dgraphHalo(graph.get(), all.data(),
                                 sizeof(SCOTCH_Num) == 4 ? MPI_INT32_T : MPI_INT64_T),
               "exchanging parts");
  std::int64_t cut = 0;
  for (std::size_t vertex = 0; vertex + 1 < starts.size(); ++vertex)
    for (SCOTCH_Num at = starts[vertex]; at < starts[vertex + 1]; ++at)
      cut += all[static_cast<std::size_t>(neighbours[at])] != all[vertex] ? 1 : 0;
  std::vector<std::int64_t> cuts(static_cast<std::size_t>(transport.size()));
  transport.gather(std::as_bytes(std::span(&cut, 1)), std::as_writable_bytes(std::span(cuts)),
                   "how good a partition is");
  return std::accumulate(cuts.begin(), cuts.end(), std::int64_t{0});
}

}  // namespace

std::vector<std::int32_t> cut_by_scotch(const mesh::PartitionInput& graph,
                                        const CutOptions& options) {
  MpiTransport& transport = mpi_transport(graph.transport, "scotch");
  const GraphSize size = size_of(graph);
  check_numbers(size, static_cast<int>(8 * sizeof(SCOTCH_Num)), "scotch");
  const PartsToFill to_fill(graph);
  if (is_trivial(to_fill, size)) return trivial_parts(graph, to_fill);
  transport.watch().meet("partitioning by scotch");

  const WatchedCall watched(transport.watch(), "partitioning by scotch");
  const std::size_t count = vertices_of(graph);
  // Without vertices there is still a start.
  std::vector<SCOTCH_Num> starts = converted<SCOTCH_Num>(graph.starts);
  if (starts.empty()) starts.push_back(0);
  std::vector<SCOTCH_Num> neighbours = converted<SCOTCH_Num>(graph.neighbours);
  std::vector<SCOTCH_Num> parts(count + 1);
  neighbours.reserve(1);
  Graph whole(transport.communicator().handle());
  const auto edges = static_cast<SCOTCH_Num>(graph.neighbours.size());
  if (graph.release) graph.release();
  check_scotch(
      SCOTCH_dgraphBuild(whole.get(), 0, static_cast<SCOTCH_Num>(count),
                         static_cast<SCOTCH_Num>(count), starts.data(), starts.data() + 1, nullptr,
                         nullptr, edges, edges, neighbours.data(), nullptr, nullptr),
      "building the graph");
  check_scotch(SCOTCH_dgraphGhst(whole.get()), "finding neighbours on other ranks");

  // What one seed gives differs by a tenth from what the next one does.
  std::vector<std::int32_t> best;
  std::int64_t least_cut = std::numeric_limits<std::int64_t>::max();
  for (int attempt = 0; attempt < attempts(options, size); ++attempt) {
    Context context(options.seed + 2 * attempt);
    Graph bound(transport.communicator().handle());
    check_scotch(SCOTCH_contextBindDgraph(context.get(), whole.get(), bound.get()),
                 "binding a context");
    Strategy strategy;
    check_scotch(SCOTCH_stratDgraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT, to_fill.count(),
                                            to_fill.count(), options.imbalance),
                 "a strategy");
    Shares shares(to_fill.count(), to_fill.shares);
    check_scotch(SCOTCH_dgraphMap(bound.get(), shares.get(), strategy.get(), parts.data()),
                 "partitioning");
    const std::int64_t cut = cut_of(whole, starts, parts, transport);
    if (cut >= least_cut) continue;
    least_cut = cut;
    best.assign(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return to_fill.numbers_of(std::move(best));
}

#else

std::vector<std::int32_t> cut_by_scotch(const mesh::PartitionInput&, const CutOptions&) {
  throw Error(Errc::unsupported,
              "scotch: Kiln was built without PT-Scotch (Debian: libptscotch-dev)");
}

#endif

}  // namespace kiln::mpi
