#include <algorithm>
#include <array>
#include <numeric>

#include "cases.hpp"

#ifdef KILN_WITH_SCOTCH
#include <ptscotch.h>
#endif
#ifdef KILN_WITH_METIS
#include <metis.h>
#endif

namespace kiln::testing {
namespace {

/// A graph that every rank has, of which each gives its rows to a partitioner.
struct Graph {
  std::vector<std::int64_t> starts, neighbours;
  std::int64_t vertices() const { return static_cast<std::int64_t>(starts.size()) - 1; }
};

/// Cells that an edge joins are adjacent.
Graph graph_of(const std::vector<std::array<std::int64_t, 2>>& pairs, std::int64_t vertices) {
  std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(vertices));
  for (const auto& [one, other] : pairs) {
    if (one == other) continue;
    lists[static_cast<std::size_t>(one)].push_back(other);
    lists[static_cast<std::size_t>(other)].push_back(one);
  }
  Graph graph;
  graph.starts.push_back(0);
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
    graph.starts.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  return graph;
}

Graph naca_graph(std::int64_t along, std::int64_t out) {
  const auto file = mesh::MeshFile::make({.along = along, .out = out});
  const auto& values = file.find_map("pecell")->values;
  std::vector<std::array<std::int64_t, 2>> pairs;
  for (std::size_t at = 0; at < values.size(); at += 2)
    pairs.push_back({values[at], values[at + 1]});
  return graph_of(pairs, file.find_set("cells")->size);
}

/// The rows first to end of it.
struct Block {
  Block(const Graph& graph, std::int64_t from, std::int64_t to) : first(from) {
    const auto begin = graph.starts[static_cast<std::size_t>(from)];
    for (auto at = from; at <= to; ++at)
      starts.push_back(graph.starts[static_cast<std::size_t>(at)] - begin);
    neighbours.assign(graph.neighbours.begin() + begin,
                      graph.neighbours.begin() + begin + starts.back());
  }
  std::int64_t first;
  std::vector<std::int64_t> starts, neighbours;
  mesh::PartitionInput input(mesh::Transport& transport) const {
    return {transport, first, starts, neighbours, {}, 0, {}};
  }
};

Block block_of(const Environment& mpi, const Graph& graph) {
  const auto begin = [&](std::int64_t rank) { return graph.vertices() * rank / mpi.size(); };
  return {graph, begin(mpi.rank()), begin(mpi.rank() + 1)};
}

/// All ranks' parts, in the order of the vertices.
std::vector<std::int32_t> whole(const Environment& mpi, const std::vector<std::int32_t>& mine) {
  const auto transport = mpi::transport(mpi.comm());
  std::vector<mesh::Transport::Packet> packets;
  for (int rank = 0; rank < mpi.size(); ++rank) {
    const auto bytes = std::as_bytes(std::span(mine));
    packets.push_back({rank, {bytes.begin(), bytes.end()}});
  }
  std::vector<std::int32_t> all;
  for (const auto& packet : transport->deliver(std::move(packets), "parts")) {
    const auto* parts = reinterpret_cast<const std::int32_t*>(packet.bytes.data());
    all.insert(all.end(), parts, parts + packet.bytes.size() / sizeof *parts);
  }
  return all;
}

struct Quality {
  std::int64_t cut = 0;
  double balance = 0;
};

Quality quality(const Graph& graph, const std::vector<std::int32_t>& parts, int count,
                const std::vector<double>& weights = {}) {
  expect(parts.size() == static_cast<std::size_t>(graph.vertices()), parts.size(), " parts");
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count));
  Quality found;
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex) {
    expect(parts[vertex] >= 0 && parts[vertex] < count, "part ", parts[vertex]);
    ++sizes[static_cast<std::size_t>(parts[vertex])];
    for (auto at = graph.starts[vertex]; at < graph.starts[vertex + 1]; ++at)
      found.cut +=
          parts[static_cast<std::size_t>(graph.neighbours[static_cast<std::size_t>(at)])] !=
          parts[vertex];
  }
  found.cut /= 2;
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    const double share = weights.empty() ? 1.0 / count : weights[part];
    if (share == 0) expect(sizes[part] == 0, sizes[part], " vertices in a part without a share");
    if (share == 0) continue;
    found.balance = std::max(found.balance, static_cast<double>(sizes[part]) /
                                                (share * static_cast<double>(graph.vertices())));
  }
  return found;
}

#ifdef KILN_WITH_SCOTCH
std::vector<std::int32_t> scotch_itself(const Environment& mpi, const Block& block, int seed) {
  SCOTCH_Dgraph graph;
  SCOTCH_Strat strategy;
  std::vector<SCOTCH_Num> starts(block.starts.begin(), block.starts.end()),
      neighbours(block.neighbours.begin(), block.neighbours.end());
  const auto count = static_cast<SCOTCH_Num>(starts.size() - 1),
             edges = static_cast<SCOTCH_Num>(neighbours.size());
  std::vector<SCOTCH_Num> parts(starts.size());
  SCOTCH_randomSeed(seed);
  SCOTCH_randomReset();
  SCOTCH_dgraphInit(&graph, mpi.comm().handle());
  SCOTCH_dgraphBuild(&graph, 0, count, count, starts.data(), starts.data() + 1, nullptr, nullptr,
                     edges, edges, neighbours.data(), nullptr, nullptr);
  SCOTCH_stratInit(&strategy);
  SCOTCH_dgraphPart(&graph, mpi.size(), &strategy, parts.data());
  SCOTCH_stratExit(&strategy);
  SCOTCH_dgraphExit(&graph);
  return {parts.begin(), parts.end() - 1};
}
#endif

#ifdef KILN_WITH_METIS
std::vector<std::int32_t> metis_itself(const Environment& mpi, const Graph& graph, int seed) {
  std::vector<idx_t> starts(graph.starts.begin(), graph.starts.end()),
      neighbours(graph.neighbours.begin(), graph.neighbours.end());
  auto count = static_cast<idx_t>(graph.vertices());
  idx_t one = 1, parts = mpi.size(), cut = 0;
  idx_t settings[METIS_NOPTIONS];
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_SEED] = seed;
  std::vector<idx_t> result(static_cast<std::size_t>(count));
  METIS_PartGraphKway(&count, &one, starts.data(), neighbours.data(), nullptr, nullptr, nullptr,
                      &parts, nullptr, nullptr, settings, &cut, result.data());
  return {result.begin(), result.end()};
}
#endif

/// The library itself with several seeds: what one of them gives differs by a tenth from what
/// another one does, and some of it from run to run.
template <class Itself>
void compare(const Environment& mpi, const char* name, const Graph& graph,
             const std::vector<std::int32_t>& ours, const Itself& itself) {
  const Quality own = quality(graph, ours, mpi.size());
  std::vector<std::int64_t> cuts;
  for (int seed = 1; seed <= 5; ++seed)
    cuts.push_back(quality(graph, itself(seed), mpi.size()).cut);
  std::sort(cuts.begin(), cuts.end());
  const std::int64_t median = cuts[cuts.size() / 2];
  if (mpi.rank() == 0)
    say(std::string(name) + " of " + std::to_string(graph.vertices()) + ": cut " +
        std::to_string(own.cut) + ", balance " + std::to_string(own.balance) + "; itself: cut " +
        std::to_string(cuts.front()) + " to " + std::to_string(cuts.back()));
  expect(static_cast<double>(own.cut) <= 1.05 * static_cast<double>(median), name, ": cut ",
         own.cut, ", itself ", median);
  expect(own.balance <= 1.05 + 1e-3, name, ": balance ", own.balance);
}

using Cut = std::vector<std::int32_t>(const mesh::PartitionInput&, const mpi::CutOptions&);

}  // namespace

void partitions(const Environment& mpi, const Words& words) {
  const Graph graph = naca_graph(std::stoll(words.at(1)), std::stoll(words.at(2)));
  const Block block = block_of(mpi, graph);
  const auto transport = mpi::transport(mpi.comm());
  Cut& cut = words.at(0) == "scotch" ? mpi::cut_by_scotch : mpi::cut_by_metis;
  const auto ours = whole(mpi, cut(block.input(*transport), {}));
  expect(whole(mpi, cut(block.input(*transport), {})) == ours, "the second time other parts");
  const bool compares = words.at(3) == "compare" && mpi.size() > 1;
#ifdef KILN_WITH_SCOTCH
  if (compares && words.at(0) == "scotch")
    compare(mpi, "scotch", graph, ours,
            [&](int seed) { return whole(mpi, scotch_itself(mpi, block, seed)); });
#endif
#ifdef KILN_WITH_METIS
  if (compares && words.at(0) == "metis")
    compare(mpi, "metis", graph, ours, [&](int seed) { return metis_itself(mpi, graph, seed); });
#endif
  // So that another start gives them, too.
  std::size_t digest = 0;
  for (const std::int32_t part : ours) digest = digest * 1000003 + static_cast<std::size_t>(part);
  if (mpi.rank() == 0) say("digest " + std::to_string(digest));
  // Parts of unlike size.
  std::vector<double> weights(static_cast<std::size_t>(mpi.size()), 1.0);
  weights[0] = 2;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  mesh::PartitionInput weighted = block.input(*transport);
  weighted.weights = weights;
  const Quality found = quality(graph, whole(mpi, cut(weighted, {})), mpi.size(), weights);
  expect(found.balance <= 1.06, "parts of given shares: balance ", found.balance);
  if (mpi.size() == 1) return;
  // One of them gets nothing.
  const double rest = 1 - weights[0];
  for (double& weight : weights) weight /= rest;
  weights[0] = 0;
  const Quality without = quality(graph, whole(mpi, cut(weighted, {})), mpi.size(), weights);
  expect(without.balance <= 1.06, "parts without the first one: balance ", without.balance);
}

void small_graphs(const Environment& mpi, const Words& words) {
  Cut& cut = words.at(0) == "scotch" ? mpi::cut_by_scotch : mpi::cut_by_metis;
  const auto transport = mpi::transport(mpi.comm());
  const auto check = [&](const char* name, const Graph& graph, std::int64_t from, std::int64_t to) {
    const Block block(graph, from, to);
    const auto parts = whole(mpi, cut(block.input(*transport), {}));
    quality(graph, parts, mpi.size());
    if (mpi.rank() == 0) say(std::string(name) + " done");
  };
  const int last = mpi.size() - 1;
  const Graph none = graph_of({}, 0), one = graph_of({}, 1), two = graph_of({{0, 1}}, 2);
  check("no vertices", none, 0, 0);
  check("one vertex on the last rank", one, 0, mpi.rank() == last ? 1 : 0);
  check("two vertices", two, mpi.rank() == 0 ? 0 : 2, 2);
  std::vector<std::array<std::int64_t, 2>> chain;
  for (std::int64_t at = 0; at + 1 < 60; ++at) chain.push_back({at, at + 1});
  const Graph line = graph_of(chain, 60);
  // All of it on one rank, the first or the last.
  check("a line on rank 0", line, mpi.rank() == 0 ? 0 : 60, 60);
  check("a line on the last rank", line, 0, mpi.rank() == last ? 60 : 0);
  check("no edges", graph_of({}, 40), 40 * mpi.rank() / mpi.size(),
        40 * (mpi.rank() + 1) / mpi.size());
}

}  // namespace kiln::testing
