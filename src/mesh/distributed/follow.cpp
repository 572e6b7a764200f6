// Owners of the sets that follow the one that was cut.
#include <algorithm>

#include "mesh/distributed/columns.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mesh_rows.hpp"

namespace kiln::mesh {
namespace {

/// The commonest of some parts, of equally common ones the lowest. Sorts them; there is one at
/// least.
std::int32_t commonest(std::span<std::int32_t> parts) {
  std::sort(parts.begin(), parts.end());
  std::int32_t best = parts.front();
  std::ptrdiff_t most = 0;
  for (auto begin = parts.begin(); begin != parts.end();) {
    const auto end = std::upper_bound(begin, parts.end(), *begin);
    if (end - begin > most) {
      most = end - begin;
      best = *begin;
    }
    begin = end;
  }
  return best;
}

class Following {
 public:
  Following(MeshRows& mesh, std::size_t primary) : mesh_(mesh), is_known_(mesh.sets.size(), 0) {
    is_known_[primary] = 1;
    unite_columns(mesh.transport, mesh.sets[primary]);
  }

  void run() {
    while (follow_targets() || follow_sources()) {
    }
    // What no map joins to the others stays where it is.
    for (std::size_t at = 0; at < mesh_.sets.size(); ++at)
      if (!is_known_[at]) {
        mesh_.sets[at].owners.assign(count(at), mesh_.transport.rank());
        unite_columns(mesh_.transport, mesh_.sets[at]);
      }
  }

 private:
  std::size_t count(std::size_t set) const {
    return mesh_.sets[set].blocks->count(mesh_.transport.rank());
  }

  /// Sets with maps to those that are known, whose owners they take. Whether there was one.
  bool follow_targets() {
    const auto known = is_known_;
    bool any = false;
    for (std::size_t at = 0; at < mesh_.sets.size(); ++at) {
      if (known[at]) continue;
      std::vector<std::size_t> maps;
      for (const std::size_t map : mesh_.sets[at].maps)
        if (known[mesh_.maps[map].to]) maps.push_back(map);
      if (maps.empty()) continue;
      take_from_targets(at, maps);
      unite_columns(mesh_.transport, mesh_.sets[at]);
      is_known_[at] = any = true;
    }
    return any;
  }

  void take_from_targets(std::size_t set, const std::vector<std::size_t>& maps) {
    std::vector<std::vector<std::int32_t>> owners;  // of each map's targets
    for (const std::size_t map : maps) owners.push_back(owners_of_targets(mesh_.maps[map]));
    auto& chosen = mesh_.sets[set].owners;
    chosen.resize(count(set));
    std::vector<std::int32_t> parts;
    for (std::size_t row = 0; row < chosen.size(); ++row) {
      parts.clear();
      for (std::size_t k = 0; k < maps.size(); ++k) {
        const std::size_t arity = mesh_.maps[maps[k]].arity;
        const auto begin = owners[k].begin() + static_cast<std::ptrdiff_t>(row * arity);
        parts.insert(parts.end(), begin, begin + static_cast<std::ptrdiff_t>(arity));
      }
      chosen[row] = commonest(parts);
    }
  }

  std::vector<std::int32_t> owners_of_targets(const MapRows& map) {
    const NumberList& rows = map.rows();
    std::vector<std::int64_t> targets = rows.plain();
    make_rising(targets);
    targets.shrink_to_fit();
    const SetRows& to = mesh_.sets[map.to];
    const auto owners = look_up(mesh_.transport, *to.blocks, targets, to.owners);
    const NumberIndex index(targets);
    std::vector<std::int32_t> all;
    all.reserve(rows.size());
    for (std::size_t at = 0; at < rows.size(); ++at)
      all.push_back(owners[static_cast<std::size_t>(index.find(rows[at]))]);
    return all;
  }

  /// Sets that maps of known ones lead to: owners of the elements that lead there vote.
  bool follow_sources() {
    const auto known = is_known_;
    bool any = false;
    for (std::size_t at = 0; at < mesh_.sets.size(); ++at) {
      if (known[at]) continue;
      std::vector<std::size_t> maps;
      for (std::size_t map = 0; map < mesh_.maps.size(); ++map)
        if (mesh_.maps[map].to == at && known[mesh_.maps[map].from]) maps.push_back(map);
      if (maps.empty()) continue;
      take_from_sources(at, maps);
      unite_columns(mesh_.transport, mesh_.sets[at]);
      is_known_[at] = any = true;
    }
    return any;
  }

  /// So many elements of a part lead to an element.
  struct Vote {
    std::int64_t number = 0;
    std::int32_t part = 0, count = 0;
  };
  /// Sorts, and brings those for the same part together.
  static void count(std::vector<Vote>& votes) {
    std::sort(votes.begin(), votes.end(), [](const Vote& a, const Vote& b) {
      return a.number != b.number ? a.number < b.number : a.part < b.part;
    });
    std::size_t kept = 0;
    for (std::size_t at = 0; at < votes.size(); ++at)
      if (kept > 0 && votes[kept - 1].number == votes[at].number &&
          votes[kept - 1].part == votes[at].part)
        votes[kept - 1].count += votes[at].count;
      else
        votes[kept++] = votes[at];
    votes.resize(kept);
  }

  void take_from_sources(std::size_t set, const std::vector<std::size_t>& maps) {
    const Blocks& blocks = *mesh_.sets[set].blocks;
    Outbox<Vote> votes;
    for (const std::size_t place : maps) {
      const MapRows& map = mesh_.maps[place];
      const auto& owners = mesh_.sets[map.from].owners;
      const NumberList& rows = map.rows();
      // Some at a time: all of them are larger than the map.
      constexpr std::size_t at_once = 100'000;
      std::vector<Vote> mine;
      for (std::size_t begin = 0; begin < rows.size(); begin += at_once) {
        const std::size_t end = std::min(begin + at_once, rows.size());
        mine.clear();
        for (std::size_t k = begin; k < end; ++k)
          mine.push_back({lowest_of(map, k), owners[k / map.arity], 1});
        count(mine);
        for (const Vote& vote : mine) votes.add(blocks.rank_of(vote.number), vote);
      }
      count(votes.box(mesh_.transport.rank()));
    }
    std::vector<Vote> all;
    for (auto& [rank, some] : votes.deliver(mesh_.transport, "owners of what leads to a set")) {
      if (all.empty())
        all = std::move(some);
      else
        all.insert(all.end(), some.begin(), some.end());
      free_memory(some);
    }
    count(all);
    auto& chosen = mesh_.sets[set].owners;
    chosen.assign(count(set), mesh_.transport.rank());
    std::int64_t last = -1;
    std::int32_t most = 0;
    for (const Vote& vote : all) {
      // Of equally common parts the lowest comes first.
      if (vote.number == last && vote.count <= most) continue;
      last = vote.number;
      most = vote.count;
      chosen[static_cast<std::size_t>(last - blocks.first(mesh_.transport.rank()))] = vote.part;
    }
  }

  MeshRows& mesh_;
  std::vector<char> is_known_;
};

}  // namespace

void let_others_follow(MeshRows& mesh, std::size_t primary) { Following(mesh, primary).run(); }

}  // namespace kiln::mesh
