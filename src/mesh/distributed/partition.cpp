// A mesh is cut, and each part gets what is its own.
#include <algorithm>
#include <cmath>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "mesh/distributed/columns.hpp"
#include "mesh/distributed/graph.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

class Cut {
 public:
  Cut(MeshRows& mesh, const Partitioner& partitioner, std::span<const double> weights)
      : mesh_(mesh),
        partitioner_(partitioner),
        primary_(mesh.place_of(Handles::state(partitioner.primary).get())),
        weights_(weights.begin(), weights.end()) {
    together(mesh.transport, "partitioner", [&] { check(); });
    double sum = 0;
    for (const double weight : weights_) sum += weight;
    for (double& weight : weights_) weight /= sum;
  }

  std::size_t primary() const { return primary_; }

  /// Maps that make elements adjacent: those that the partitioner names; to bring elements into
  /// order where it names none, all that lead to the set with two targets or more, else those that
  /// lead from it.
  std::vector<std::size_t> named() const {
    std::vector<std::size_t> maps;
    for (const Map& map : partitioner_.adjacency)
      for (std::size_t at = 0; at < mesh_.maps.size(); ++at)
        if (mesh_.maps[at].state == Handles::state(map)) maps.push_back(at);
    return maps;
  }
  std::vector<std::size_t> named_or_all() const {
    auto maps = named();
    if (!maps.empty()) return maps;
    for (std::size_t at = 0; at < mesh_.maps.size(); ++at)
      if (mesh_.maps[at].to == primary_ &&
          (mesh_.maps[at].arity > 1 || mesh_.maps[at].from == primary_))
        maps.push_back(at);
    return maps.empty() ? mesh_.sets[primary_].maps : maps;
  }

  /// Owners of the primary set's elements. All parts call it.
  std::vector<std::int32_t> owners() const {
    Transport& transport = mesh_.transport;
    const auto maps = named();
    Graph graph;
    if (!maps.empty()) graph = block_graph(mesh_, primary_, maps, partitioner_.common);
    std::pair<std::vector<double>, std::size_t> coordinates;
    if (partitioner_.coordinates) coordinates = partitioner_.coordinates();
    const Blocks& blocks = *mesh_.sets[primary_].blocks;
    const std::size_t count = blocks.count(transport.rank());
    std::vector<std::int32_t> parts;
    together(transport, "partition", [&] {
      if (coordinates.first.size() != count * coordinates.second)
        refuse("partitioner {}: {} coordinates, expected {} of each of {} elements",
               partitioner_.name, coordinates.first.size(), coordinates.second, count);
      const auto release = [&] {
        graph = {};
        give_back_memory();
      };
      parts = partitioner_.cut({transport, blocks.first(transport.rank()), graph.starts,
                                graph.neighbours, coordinates.first, coordinates.second, weights_,
                                release});
      check_parts(parts, blocks, count);
    });
    return parts;
  }

 private:
  void check() const {
    if (!partitioner_.cut) refuse("partitioner {}: no function that cuts", partitioner_.name);
    if (primary_ == mesh_.sets.size())
      refuse("partitioner {}: set {} belongs to another Mesh", partitioner_.name,
             partitioner_.primary.name());
    for (const Map& map : partitioner_.adjacency) {
      if (std::ranges::none_of(
              mesh_.maps, [&](const MapRows& known) { return known.state == Handles::state(map); }))
        refuse("partitioner {}: map {} belongs to another Mesh", partitioner_.name, map.name());
      if (!(map.from() == partitioner_.primary) && !(map.to() == partitioner_.primary))
        refuse("partitioner {}: map {} leads from {} to {}, expected from or to {}",
               partitioner_.name, map.name(), map.from().name(), map.to().name(),
               partitioner_.primary.name());
    }
    const auto size = static_cast<std::size_t>(mesh_.transport.size());
    if (!weights_.empty() && weights_.size() != size)
      refuse("partition: {} weights, expected none or {}, one for each part", weights_.size(),
             size);
    for (const double weight : weights_)
      if (!(weight >= 0) || !std::isfinite(weight))
        refuse("partition: weight {}, expected numbers from 0 on", weight);
    if (!weights_.empty() && std::ranges::all_of(weights_, [](double one) { return one == 0; }))
      refuse("partition: all weights are 0, expected one above 0");
  }

  void check_parts(const std::vector<std::int32_t>& parts, const Blocks& blocks,
                   std::size_t count) const {
    if (parts.size() != count)
      refuse("partitioner {}: parts of {} elements, expected {} (rows of set {} here)",
             partitioner_.name, parts.size(), count, partitioner_.primary.name());
    for (std::size_t at = 0; at < parts.size(); ++at)
      if (parts[at] < 0 || parts[at] >= mesh_.transport.size())
        refuse("partitioner {}: element {} of {} in part {}, expected 0 to {}", partitioner_.name,
               blocks.first(mesh_.transport.rank()) + static_cast<std::int64_t>(at),
               partitioner_.primary.name(), parts[at], mesh_.transport.size() - 1);
  }

  MeshRows& mesh_;
  const Partitioner& partitioner_;
  const std::size_t primary_;
  std::vector<double> weights_;
};

}  // namespace

void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void partition(Session& session, const AliveEverywhere& alive, const Partitioner& partitioner,
               std::span<const double> weights) {
  give_back_memory();
  MeshRows mesh = take_declared(session, alive);
  session.mesh_digest = mesh_digest(mesh);
  const Cut cut(mesh, partitioner, weights);
  const auto adjacency = cut.named_or_all();
  mesh.sets[cut.primary()].owners = cut.owners();
  find_columns(mesh);
  give_back_memory();
  let_others_follow(mesh, cut.primary());
  give_back_memory();
  // Where what follows fails (the Transport, a part that is too large) the Mesh is of no more use.
  session.is_partitioned = true;
  session.is_broken = true;
  migrate(mesh);
  find_begins(mesh);
  give_back_memory();
  find_halos(mesh);
  for (auto& set : mesh.sets)
    free_memory(set.owners), free_memory(set.depth), free_memory(set.height);
  give_back_memory();
  number_locally(mesh, cut.primary(), adjacency,
                 partitioner.adjacency.empty() ? 1 : partitioner.common);
  for (auto& set : mesh.sets) free_memory(set.is_core), free_memory(set.begins);
  give_back_memory();
  settle(session, mesh);
  session.is_broken = false;
}

Partitioner owners(const Set& primary, std::vector<std::int32_t> parts) {
  return {.name = "owners",
          .primary = primary,
          .adjacency = {},
          .cut = [parts = std::move(parts)](const PartitionInput&) { return parts; }};
}

}  // namespace kiln::mesh
