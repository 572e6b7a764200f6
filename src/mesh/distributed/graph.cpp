// Graphs of a set's elements, in blocks of rows and of what a part owns.
#include "mesh/distributed/graph.hpp"

#include <algorithm>

#include "mesh/distributed/mail.hpp"

namespace kiln::mesh {
namespace {

/// Each target of a row once.
template <class Use>
void for_different(std::span<const std::int64_t> row, const Use& use) {
  for (std::size_t at = 0; at < row.size(); ++at)
    if (std::find(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(at), row[at]) ==
        row.begin() + static_cast<std::ptrdiff_t>(at))
      use(row[at]);
}

std::span<const std::int64_t> row_of(const MapRows& map, std::size_t at) {
  return map.rows().subspan(at * map.arity, map.arity);
}

/// Calls for both ends of an edge between any two elements with a common target, for each of these.
template <class Emit>
void join_by_target(std::vector<Incidence>& list, const Emit& emit) {
  std::sort(list.begin(), list.end(), [](const Incidence& a, const Incidence& b) {
    return a.target != b.target ? a.target < b.target : a.element < b.element;
  });
  for (auto begin = list.begin(); begin != list.end();) {
    const auto end = std::find_if(
        begin, list.end(), [&](const Incidence& one) { return one.target != begin->target; });
    for (auto a = begin; a != end; ++a)
      for (auto b = begin; b != end; ++b)
        if (a->element != b->element) emit(EdgeEnd{a->element, b->element});
    begin = end;
  }
}

}  // namespace

Adjacency adjacency_by(const MapRows& map, std::size_t primary) {
  if (map.from == primary && map.to == primary) return Adjacency::direct;
  return map.to == primary ? Adjacency::targets : Adjacency::sources;
}

Graph graph_of(std::span<const EdgeEnd> ends, std::int64_t first, std::size_t vertices,
               std::size_t least) {
  std::vector<std::int64_t> starts(vertices + 1, 0);
  for (const EdgeEnd& end : ends) ++starts[static_cast<std::size_t>(end.vertex - first) + 1];
  for (std::size_t at = 0; at < vertices; ++at) starts[at + 1] += starts[at];
  std::vector<std::int64_t> others(ends.size()), next(starts.begin(), starts.end() - 1);
  for (const EdgeEnd& end : ends)
    others[static_cast<std::size_t>(next[static_cast<std::size_t>(end.vertex - first)]++)] =
        end.other;
  Graph graph;
  graph.starts.reserve(vertices + 1);
  graph.starts.push_back(0);
  for (std::size_t at = 0; at < vertices; ++at) {
    const auto begin = others.begin() + starts[at], end = others.begin() + starts[at + 1];
    std::sort(begin, end);
    for (auto from = begin; from != end;) {
      const auto to = std::upper_bound(from, end, *from);
      if (static_cast<std::size_t>(to - from) >= least) graph.neighbours.push_back(*from);
      from = to;
    }
    graph.starts.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  return graph;
}

namespace {

/// Ends of edges, for maps that make adjacent by one common element and for those that need more.
struct Ends {
  std::vector<EdgeEnd> certain, counted;

  /// An edge is one where certain ends name it, or enough of the counted ones.
  Graph graph(std::int64_t first, std::size_t vertices, int common) {
    const auto least = static_cast<std::size_t>(std::max(common, 1));
    if (certain.empty()) return graph_of(counted, first, vertices, least);
    const Graph enough = graph_of(counted, first, vertices, least);
    for (std::size_t at = 0; at < vertices; ++at)
      for (std::int64_t k = enough.starts[at]; k < enough.starts[at + 1]; ++k)
        certain.push_back({first + static_cast<std::int64_t>(at),
                           enough.neighbours[static_cast<std::size_t>(k)]});
    return graph_of(certain, first, vertices, 1);
  }
};

}  // namespace

Graph block_graph(const MeshRows& mesh, std::size_t primary, std::span<const std::size_t> maps,
                  int common) {
  Transport& transport = mesh.transport;
  const Blocks& blocks = *mesh.sets[primary].blocks;
  const std::int64_t first = blocks.first(transport.rank());
  Ends ends;
  Outbox<EdgeEnd> certain, counted;
  const auto send = [&](Outbox<EdgeEnd>& box, const EdgeEnd& end) {
    box.add(blocks.rank_of(end.vertex), end);
  };
  for (const std::size_t place : maps) {
    const MapRows& map = mesh.maps[place];
    const std::size_t rows = map.rows().size() / map.arity;
    const auto kind = adjacency_by(map, primary);
    Outbox<Incidence> incidences;
    for (std::size_t at = 0; at < rows; ++at) {
      const auto row = row_of(map, at);
      const std::int64_t element = first + static_cast<std::int64_t>(at);
      if (kind == Adjacency::targets)
        join_targets(row, [&](const EdgeEnd& end) { send(certain, end); });
      else if (kind == Adjacency::direct)
        for (const std::int64_t target : row) {
          if (target == element) continue;
          send(certain, {element, target});
          send(certain, {target, element});
        }
      else
        for_different(row, [&](std::int64_t target) {
          incidences.add(mesh.sets[map.to].blocks->rank_of(target), {target, element});
        });
    }
    if (kind != Adjacency::sources) continue;
    std::vector<Incidence> list;
    for (const auto& [rank, some] : incidences.deliver(transport, "targets of the primary set"))
      list.insert(list.end(), some.begin(), some.end());
    join_by_target(list, [&](const EdgeEnd& end) { send(counted, end); });
  }
  for (const auto& [rank, some] : certain.deliver(transport, "edges of the graph"))
    ends.certain.insert(ends.certain.end(), some.begin(), some.end());
  for (const auto& [rank, some] : counted.deliver(transport, "edges of the graph"))
    ends.counted.insert(ends.counted.end(), some.begin(), some.end());
  return ends.graph(first, blocks.count(transport.rank()), common);
}

Graph owned_graph(const MeshRows& mesh, std::size_t primary, std::span<const std::size_t> maps,
                  int common) {
  const auto& numbers = mesh.sets[primary].numbers;
  const NumberIndex owned(numbers);
  Ends ends;
  std::vector<std::int64_t> places;
  for (const std::size_t which : maps) {
    const MapRows& map = mesh.maps[which];
    const auto kind = adjacency_by(map, primary);
    std::vector<Incidence> list;
    for (std::size_t at = 0; at < map.values.size() / map.arity; ++at) {
      const auto row = row_of(map, at);
      if (kind == Adjacency::sources) {
        if (at < numbers.size())  // others' are no vertices
          for_different(row, [&](std::int64_t target) {
            list.push_back({target, static_cast<std::int64_t>(at)});
          });
        continue;
      }
      places.clear();
      for (const std::int64_t target : row)
        if (const auto place = owned.find(target); place >= 0) places.push_back(place);
      if (kind == Adjacency::targets) {
        join_targets(places, [&](const EdgeEnd& end) { ends.certain.push_back(end); });
      } else if (at < numbers.size()) {
        for (const std::int64_t place : places) {
          if (place == static_cast<std::int64_t>(at)) continue;
          ends.certain.push_back({static_cast<std::int64_t>(at), place});
          ends.certain.push_back({place, static_cast<std::int64_t>(at)});
        }
      }
    }
    join_by_target(list, [&](const EdgeEnd& end) { ends.counted.push_back(end); });
  }
  return ends.graph(0, numbers.size(), common);
}

namespace {

/// The search from one vertex, level by level, each in the order of its neighbours' degrees.
class LevelSearch {
 public:
  explicit LevelSearch(const Graph& graph) : graph_(graph), seen_(graph.starts.size() - 1, 0) {}

  std::int64_t degree(std::int64_t vertex) const {
    const auto at = static_cast<std::size_t>(vertex);
    return graph_.starts[at + 1] - graph_.starts[at];
  }

  struct Levels {
    std::vector<std::int64_t> order;
    std::size_t count = 0, last = 0;  ///< levels, and where the last one begins
  };
  Levels from(std::int64_t root) {
    ++round_;
    Levels levels{{root}, 0, 0};
    seen_[static_cast<std::size_t>(root)] = round_;
    for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = levels.order.size()) {
      levels.last = begin;
      ++levels.count;
      for (std::size_t at = begin; at < end; ++at) add_neighbours(levels.order, levels.order[at]);
    }
    return levels;
  }

 private:
  void add_neighbours(std::vector<std::int64_t>& order, std::int64_t vertex) {
    const std::size_t begin = order.size();
    const auto at = static_cast<std::size_t>(vertex);
    for (auto k = graph_.starts[at]; k < graph_.starts[at + 1]; ++k) {
      const std::int64_t other = graph_.neighbours[static_cast<std::size_t>(k)];
      auto& seen = seen_[static_cast<std::size_t>(other)];
      if (seen == round_) continue;
      seen = round_;
      order.push_back(other);
    }
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return degree(a) < degree(b); });
  }

  const Graph& graph_;
  std::vector<std::uint32_t> seen_;  ///< in which round
  std::uint32_t round_ = 0;
};

}  // namespace

std::vector<std::int32_t> reverse_cuthill_mckee(const Graph& graph) {
  const std::size_t vertices = graph.starts.size() - 1;
  LevelSearch search(graph);
  std::vector<char> is_placed(vertices, 0);
  std::vector<std::int32_t> order;
  order.reserve(vertices);
  for (std::size_t start = 0; start < vertices; ++start) {
    if (is_placed[start]) continue;
    auto levels = search.from(static_cast<std::int64_t>(start));
    // Few rounds lead far enough away; a component of one vertex needs none.
    for (int round = 0; round < 4 && levels.order.size() > 1; ++round) {
      const auto end =
          *std::min_element(levels.order.begin() + static_cast<std::ptrdiff_t>(levels.last),
                            levels.order.end(), [&](std::int64_t a, std::int64_t b) {
                              const auto of_a = search.degree(a), of_b = search.degree(b);
                              return of_a != of_b ? of_a < of_b : a < b;
                            });
      auto farther = search.from(end);
      const bool is_farther = farther.count > levels.count;
      if (is_farther || round == 0) levels = std::move(farther);
      if (!is_farther) break;
    }
    for (const std::int64_t vertex : levels.order) {
      is_placed[static_cast<std::size_t>(vertex)] = 1;
      order.push_back(static_cast<std::int32_t>(vertex));
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace kiln::mesh
