// The messages of airfoil on many parts, for who simulates them: bench/mpi/skeleton.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <map>
#include <set>

#include "mpi/ranks/cases.hpp"

#ifdef KILN_WITH_SCOTCH
#include <ptscotch.h>
#endif

namespace kiln::bench {
#ifdef KILN_WITH_SCOTCH
namespace {

/// Scotch on one process, as deterministic as cut_by_scotch().
std::vector<SCOTCH_Num> parts_of(std::size_t cells, const std::vector<std::int64_t>& edges,
                                 int parts) {
  std::vector<SCOTCH_Num> starts(cells + 1, 0);
  for (const std::int64_t cell : edges) ++starts[static_cast<std::size_t>(cell) + 1];
  for (std::size_t cell = 0; cell < cells; ++cell) starts[cell + 1] += starts[cell];
  std::vector<SCOTCH_Num> next(starts.begin(), starts.end() - 1), neighbours(edges.size());
  for (std::size_t at = 0; at < edges.size(); ++at)
    neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(edges[at])]++)] =
        static_cast<SCOTCH_Num>(edges[at ^ 1]);
  std::vector<SCOTCH_Num> found(cells);
  SCOTCH_Context context;
  SCOTCH_Graph graph, bound;
  SCOTCH_Strat strategy;
  SCOTCH_contextInit(&context);
  SCOTCH_contextRandomSeed(&context, 1);
  SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
  SCOTCH_contextThreadSpawn(&context, 1, nullptr);
  SCOTCH_graphInit(&graph);
  SCOTCH_graphInit(&bound);
  SCOTCH_graphBuild(&graph, 0, static_cast<SCOTCH_Num>(cells), starts.data(), nullptr, nullptr,
                    nullptr, static_cast<SCOTCH_Num>(neighbours.size()), neighbours.data(),
                    nullptr);
  SCOTCH_contextBindGraph(&context, &graph, &bound);
  SCOTCH_stratInit(&strategy);
  const int failed = SCOTCH_graphPart(&bound, parts, &strategy, found.data());
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&bound);
  SCOTCH_graphExit(&graph);
  SCOTCH_contextExit(&context);
  if (failed != 0) throw Error(Errc::io, "scotch: partitioning failed");
  return found;
}

}  // namespace

Found traffic_case(const mpi::Environment& mpi, const Words& words) {
  const auto block = mpi::MeshFileBlock::read(mpi.comm(), word_in(words, 0, "a mesh of airfoil"));
  const int parts = number_in(words, 1, "parts");
  const std::string& path = word_in(words, 2, "a file to write");
  const auto* cells = block.find_set("cells");
  const auto* edges = block.find_map("pecell");
  if (cells == nullptr || edges == nullptr || mpi.size() != 1 || parts < 1)
    throw Error(Errc::bad_input, "bench-mpi traffic: expected a mesh of airfoil, one rank, parts");
  const auto owners = parts_of(static_cast<std::size_t>(cells->count), edges->values, parts);
  // Cells of one part that another one reads.
  std::map<std::pair<SCOTCH_Num, SCOTCH_Num>, std::set<std::int64_t>> sent;
  std::vector<std::int64_t> owned(static_cast<std::size_t>(parts));
  for (const SCOTCH_Num owner : owners) ++owned[static_cast<std::size_t>(owner)];
  for (std::size_t at = 0; at < edges->values.size(); ++at) {
    const auto from = owners[static_cast<std::size_t>(edges->values[at])],
               to = owners[static_cast<std::size_t>(edges->values[at ^ 1])];
    if (from != to) sent[{from, to}].insert(edges->values[at]);
  }
  std::ofstream file(path);
  file << parts << ' ' << sent.size() << '\n';
  for (const std::int64_t count : owned) file << count << '\n';
  std::vector<double> neighbours(owned.size()), halo(owned.size());
  for (const auto& [pair, elements] : sent) {
    file << pair.first << ' ' << pair.second << ' ' << elements.size() << '\n';
    ++neighbours[static_cast<std::size_t>(pair.second)];
    halo[static_cast<std::size_t>(pair.second)] += static_cast<double>(elements.size());
  }
  file.close();
  if (!file) throw Error(Errc::io, fmt::format("{}: cannot be written", path));
  return {{"cells", cells->size},
          {"parts", parts},
          {"largest", std::ranges::max(owned)},
          {"pairs", sent.size()},
          {"most_neighbours", std::ranges::max(neighbours)},
          {"most_halo_cells", std::ranges::max(halo)}};
}
#else
Found traffic_case(const mpi::Environment&, const Words&) {
  throw Error(Errc::unsupported, "bench-mpi traffic: Kiln was built without Scotch");
}
#endif

}  // namespace kiln::bench
