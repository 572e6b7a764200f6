// Graphs of a set's elements, in blocks of rows and of what a part owns.
#include "mesh/distributed/graph.hpp"

#include <algorithm>
#include <utility>

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

void sort_by_target(std::vector<Incidence>& list) {
  std::sort(list.begin(), list.end(), [](const Incidence& a, const Incidence& b) {
    return a.target != b.target ? a.target < b.target : a.element < b.element;
  });
}

/// What so many elements share says nothing of who is whose neighbour (regions, materials), and
/// each pair of them would be an edge.
constexpr std::ptrdiff_t most_by_target = 256;

/// Calls for both ends of an edge between any two elements with a common target, for each of these.
template <class Emit>
void join_by_target(const std::vector<Incidence>& list, const Emit& emit) {
  for (auto begin = list.begin(); begin != list.end();) {
    const auto end = std::find_if(
        begin, list.end(), [&](const Incidence& one) { return one.target != begin->target; });
    if (end - begin > most_by_target) {
      begin = end;
      continue;
    }
    for (auto a = begin; a != end; ++a)
      for (auto b = begin; b != end; ++b)
        if (a->element != b->element) emit(EdgeEnd{a->element, b->element});
    begin = end;
  }
}

/// Calls for both ends of the edges from an element to its targets.
template <class Emit>
void join_to_targets(std::int64_t element, std::span<const std::int64_t> targets,
                     const Emit& emit) {
  for (const std::int64_t target : targets) {
    if (target == element) continue;
    emit(EdgeEnd{element, target});
    emit(EdgeEnd{target, element});
  }
}

}  // namespace

Adjacency adjacency_by(const MapRows& map, std::size_t primary) {
  if (map.from == primary && map.to == primary) return Adjacency::direct;
  return map.to == primary ? Adjacency::targets : Adjacency::sources;
}

namespace {

/// The graph of vertices first, first + 1 …: neighbours are those that at least `least` ends name.
/// `tell` calls with each end, and is asked twice, to count and to keep them: no list of
/// ends is held along with the graph.
template <class Tell>
Graph graph_of(std::int64_t first, std::size_t vertices, std::size_t least, const Tell& tell) {
  Graph graph;
  auto& starts = graph.starts;
  auto& list = graph.neighbours;
  starts.assign(vertices + 1, 0);
  const auto start_of = [&](const EdgeEnd& end) -> std::int64_t& {
    return starts[static_cast<std::size_t>(end.vertex - first)];
  };
  tell([&](const EdgeEnd& end) { ++start_of(end); });
  std::int64_t before = 0;
  for (std::int64_t& start : starts) before += std::exchange(start, before);
  list.resize(static_cast<std::size_t>(before));
  tell([&](const EdgeEnd& end) { list[static_cast<std::size_t>(start_of(end)++)] = end.other; });
  // Now each start is where its row ends.
  auto kept = list.begin();
  auto begin = list.begin();
  for (std::size_t at = 0; at < vertices; ++at) {
    const auto end = list.begin() + starts[at];
    std::sort(begin, end);
    starts[at] = kept - list.begin();
    for (auto from = begin; from != end;) {
      const auto to = std::upper_bound(from, end, *from);
      if (static_cast<std::size_t>(to - from) >= least) *kept++ = *from;
      from = to;
    }
    begin = end;
  }
  starts[vertices] = kept - list.begin();
  list.erase(kept, list.end());
  if (list.size() < list.capacity() / 4 * 3) list.shrink_to_fit();
  return graph;
}

/// An edge is one where certain ends name it, or enough of the counted ones.
template <class Certain, class Counted>
Graph graph_of(std::int64_t first, std::size_t vertices, int common, const Certain& certain,
               const Counted& counted, bool has_counted) {
  if (!has_counted) return graph_of(first, vertices, 1, certain);
  const Graph enough =
      graph_of(first, vertices, static_cast<std::size_t>(std::max(common, 1)), counted);
  return graph_of(first, vertices, 1, [&](const auto& emit) {
    certain(emit);
    for (std::size_t at = 0; at < vertices; ++at)
      for (std::int64_t k = enough.starts[at]; k < enough.starts[at + 1]; ++k)
        emit(EdgeEnd{first + static_cast<std::int64_t>(at),
                     enough.neighbours[static_cast<std::size_t>(k)]});
  });
}

/// Ends that other ranks have found.
using Told = std::vector<std::pair<int, std::vector<EdgeEnd>>>;
template <class Emit>
void emit_all(const Told& told, const Emit& emit) {
  for (const auto& [rank, ends] : told)
    for (const EdgeEnd& end : ends) emit(end);
}

/// The graph of a block of rows.
class BlockGraph {
 public:
  BlockGraph(const MeshRows& mesh, std::size_t primary, std::span<const std::size_t> maps)
      : mesh_(mesh), blocks_(*mesh.sets[primary].blocks) {
    for (const std::size_t place : maps) {
      const MapRows& map = mesh.maps[place];
      const auto kind = adjacency_by(map, primary);
      if (kind == Adjacency::sources)
        lists_.push_back(incidences_of(map));
      else
        certain_.emplace_back(&map, kind);
    }
  }

  Graph make(int common) {
    // Ends of others' vertices go to them once.
    Outbox<EdgeEnd> certain, counted;
    const auto send_to = [&](Outbox<EdgeEnd>& box) {
      return [&](const EdgeEnd& end) {
        if (!is_own(end)) box.add(blocks_.rank_of(end.vertex), end);
      };
    };
    tell_certain(send_to(certain));
    tell_counted(send_to(counted));
    const Told told = certain.deliver(mesh_.transport, "edges of the graph");
    const Told more = counted.deliver(mesh_.transport, "edges of the graph");
    const auto own = [&](const auto& emit) {
      return [&](const EdgeEnd& end) {
        if (is_own(end)) emit(end);
      };
    };
    return graph_of(
        first(), blocks_.count(mesh_.transport.rank()), common,
        [&](const auto& emit) {
          tell_certain(own(emit));
          emit_all(told, emit);
        },
        [&](const auto& emit) {
          tell_counted(own(emit));
          emit_all(more, emit);
        },
        !lists_.empty());
  }

 private:
  std::int64_t first() const { return blocks_.first(mesh_.transport.rank()); }
  bool is_own(const EdgeEnd& end) const {
    return end.vertex >= first() && end.vertex < blocks_.first(mesh_.transport.rank() + 1);
  }

  template <class Emit>
  void tell_certain(const Emit& emit) const {
    std::vector<std::int64_t> row;
    for (const auto& [map, kind] : certain_) {
      const NumberList& rows = map->rows();
      for (std::size_t at = 0; at < rows.size() / map->arity; ++at) {
        rows.copy(at * map->arity, map->arity, row);
        if (kind == Adjacency::targets)
          join_targets(row, emit);
        else
          join_to_targets(first() + static_cast<std::int64_t>(at), row, emit);
      }
    }
  }

  template <class Emit>
  void tell_counted(const Emit& emit) const {
    for (const auto& list : lists_) join_by_target(list, emit);
  }

  /// Of targets in this block, whoever leads to them.
  std::vector<Incidence> incidences_of(const MapRows& map) const {
    const Blocks& blocks = *mesh_.sets[map.to].blocks;
    Outbox<Incidence> leaving;
    std::vector<std::int64_t> row;
    for (std::size_t at = 0; at < map.rows().size() / map.arity; ++at) {
      map.rows().copy(at * map.arity, map.arity, row);
      for_different(row, [&](std::int64_t target) {
        leaving.add(blocks.rank_of(target), {target, first() + static_cast<std::int64_t>(at)});
      });
    }
    std::vector<Incidence> list;
    for (auto& [rank, some] : leaving.deliver(mesh_.transport, "targets of the primary set")) {
      if (list.empty())
        list = std::move(some);
      else
        list.insert(list.end(), some.begin(), some.end());
      free_memory(some);
    }
    sort_by_target(list);
    return list;
  }

  const MeshRows& mesh_;
  const Blocks& blocks_;
  std::vector<std::pair<const MapRows*, Adjacency>> certain_;
  std::vector<std::vector<Incidence>> lists_;
};

}  // namespace

Graph block_graph(const MeshRows& mesh, std::size_t primary, std::span<const std::size_t> maps,
                  int common) {
  return BlockGraph(mesh, primary, maps).make(common);
}

Graph owned_graph(const MeshRows& mesh, std::size_t primary, std::span<const std::size_t> maps,
                  int common) {
  const auto& numbers = mesh.sets[primary].numbers;
  const NumberIndex owned(numbers);
  std::vector<std::vector<Incidence>> lists;
  std::vector<std::int64_t> row, places;
  for (const std::size_t which : maps) {
    const MapRows& map = mesh.maps[which];
    if (adjacency_by(map, primary) != Adjacency::sources) continue;
    auto& list = lists.emplace_back();
    for (std::size_t at = 0; at < numbers.size(); ++at) {  // others' are no vertices
      map.values.copy(at * map.arity, map.arity, row);
      for_different(row, [&](std::int64_t target) {
        list.push_back({target, static_cast<std::int64_t>(at)});
      });
    }
    sort_by_target(list);
  }
  const auto tell_certain = [&](const auto& emit) {
    for (const std::size_t which : maps) {
      const MapRows& map = mesh.maps[which];
      const auto kind = adjacency_by(map, primary);
      if (kind == Adjacency::sources) continue;
      const std::size_t rows =
          kind == Adjacency::direct ? numbers.size() : map.values.size() / map.arity;
      for (std::size_t at = 0; at < rows; ++at) {
        places.clear();
        for (std::size_t k = at * map.arity; k < (at + 1) * map.arity; ++k)
          if (const auto place = owned.find(map.values[k]); place >= 0) places.push_back(place);
        if (kind == Adjacency::targets)
          join_targets(places, emit);
        else
          join_to_targets(static_cast<std::int64_t>(at), places, emit);
      }
    }
  };
  const auto tell_counted = [&](const auto& emit) {
    for (const auto& list : lists) join_by_target(list, emit);
  };
  return graph_of(0, numbers.size(), common, tell_certain, tell_counted, !lists.empty());
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
