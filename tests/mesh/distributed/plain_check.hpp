#pragma once

#include <set>

#include "mesh/distributed/whole_mesh.hpp"

/// What the parts of a mesh must hold, found from the undivided mesh by the definitions alone.
namespace kiln::mesh::testing {

class PlainCheck {
 public:
  /// `cut`: the parts of the primary set's elements.
  PlainCheck(const WholeMesh& whole, int parts, const Starts& starts, std::size_t primary,
             const std::vector<std::int32_t>& cut)
      : whole_(whole), parts_(parts), starts_(starts), owners_(whole.sizes.size()) {
    owners_[primary] = cut;
    is_known_.assign(whole.sizes.size(), false);
    is_known_[primary] = true;
    while (follow_targets() || follow_sources()) {
    }
    for (std::size_t set = 0; set < whole.sizes.size(); ++set)
      if (!is_known_[set])
        for (std::size_t at = 0; at < whole.sizes[set]; ++at)
          owners_[set].push_back(block_of(set, static_cast<std::int64_t>(at)));
  }

  const std::vector<std::int32_t>& owners(std::size_t set) const { return owners_[set]; }

  void check(const std::vector<HeldPart>& held) const {
    for (std::size_t set = 0; set < whole_.sizes.size(); ++set) {
      SCOPED_TRACE("set " + std::to_string(set));
      for (int rank = 0; rank < parts_; ++rank) {
        SCOPED_TRACE("part " + std::to_string(rank));
        const HeldPart& part = held[static_cast<std::size_t>(rank)];
        ASSERT_EQ(part.sizes[set], part.sets[set].sizes);
        check_elements(part.sets[set], set, rank);
        check_core(part, set, rank);
        check_imports(held, set, rank);
      }
      if (::testing::Test::HasFailure()) return;
    }
    for (int rank = 0; rank < parts_; ++rank) {
      SCOPED_TRACE("part " + std::to_string(rank));
      check_maps(held[static_cast<std::size_t>(rank)]);
      check_dats(held[static_cast<std::size_t>(rank)]);
      check_fetched(held[static_cast<std::size_t>(rank)], rank);
    }
  }

  /// The graph that the partitioner was given.
  void check_graph(const std::vector<HeldPart>& held, std::size_t primary,
                   const std::vector<std::size_t>& maps, int common) const {
    const auto size = static_cast<std::int64_t>(whole_.sizes[primary]);
    std::map<std::pair<std::int64_t, std::int64_t>, int> shared;
    std::set<std::pair<std::int64_t, std::int64_t>> edges;
    for (const std::size_t which : maps) {
      const auto& map = whole_.maps[which];
      const auto sources = static_cast<std::int64_t>(whole_.sizes[map.from]);
      if (map.from == primary && map.to == primary) {
        for (std::int64_t e = 0; e < sources; ++e)
          for (const std::int64_t target : whole_.row(map, e))
            if (target != e) edges.insert({e, target}), edges.insert({target, e});
      } else if (map.to == primary) {
        for (std::int64_t e = 0; e < sources; ++e)
          for (const std::int64_t a : whole_.row(map, e))
            for (const std::int64_t b : whole_.row(map, e))
              if (a != b) edges.insert({a, b});
      } else {
        for (std::int64_t a = 0; a < size; ++a)
          for (std::int64_t b = 0; b < size; ++b) {
            if (a == b) continue;
            const auto row_a = whole_.row(map, a), row_b = whole_.row(map, b);
            for (const std::int64_t target : std::set(row_a.begin(), row_a.end()))
              if (std::ranges::count(row_b, target) > 0) ++shared[{a, b}];
          }
      }
    }
    for (const auto& [edge, count] : shared)
      if (count >= common) edges.insert(edge);
    std::vector<std::pair<std::int64_t, std::int64_t>> given;
    for (const HeldPart& part : held)
      for (std::size_t at = 0; at + 1 < part.starts.size(); ++at)
        for (std::int64_t k = part.starts[at]; k < part.starts[at + 1]; ++k)
          given.emplace_back(part.first + static_cast<std::int64_t>(at),
                             part.neighbours[static_cast<std::size_t>(k)]);
    EXPECT_EQ(given, std::vector(edges.begin(), edges.end()));
  }

 private:
  std::int32_t block_of(std::size_t set, std::int64_t number) const {
    for (int rank = 0; rank < parts_; ++rank)
      if (number < starts_[set][static_cast<std::size_t>(rank) + 1]) return rank;
    return -1;
  }
  static std::int32_t commonest(const std::map<std::int32_t, int>& votes) {
    std::int32_t best = -1;
    int most = 0;
    for (const auto& [part, count] : votes)
      if (count > most) most = count, best = part;
    return best;
  }
  bool follow_targets() {
    const auto known = is_known_;
    bool any = false;
    for (std::size_t set = 0; set < known.size(); ++set) {
      if (known[set]) continue;
      std::vector<std::map<std::int32_t, int>> votes(whole_.sizes[set]);
      bool leads = false;
      for (const auto& map : whole_.maps) {
        if (map.from != set || !known[map.to]) continue;
        leads = true;
        for (std::size_t e = 0; e < whole_.sizes[set]; ++e)
          for (const std::int64_t target : whole_.row(map, static_cast<std::int64_t>(e)))
            ++votes[e][owners_[map.to][static_cast<std::size_t>(target)]];
      }
      if (!leads) continue;
      for (const auto& one : votes) owners_[set].push_back(commonest(one));
      is_known_[set] = any = true;
    }
    return any;
  }
  bool follow_sources() {
    const auto known = is_known_;
    bool any = false;
    for (std::size_t set = 0; set < known.size(); ++set) {
      if (known[set]) continue;
      std::vector<std::map<std::int32_t, int>> votes(whole_.sizes[set]);
      bool is_led_to = false;
      for (const auto& map : whole_.maps) {
        if (map.to != set || !known[map.from]) continue;
        is_led_to = true;
        for (std::size_t k = 0; k < map.values.size(); ++k)
          ++votes[static_cast<std::size_t>(map.values[k])][owners_[map.from][k / map.arity]];
      }
      if (!is_led_to) continue;
      for (std::size_t at = 0; at < votes.size(); ++at)
        owners_[set].push_back(votes[at].empty() ? block_of(set, static_cast<std::int64_t>(at))
                                                 : commonest(votes[at]));
      is_known_[set] = any = true;
    }
    return any;
  }

  bool is_owned(std::size_t set, std::int64_t number, int rank) const {
    return owners_[set][static_cast<std::size_t>(number)] == rank;
  }
  /// The maps from an element that lead to what a part owns.
  std::uint64_t maps_to(std::size_t set, std::int64_t element, int rank) const {
    std::uint64_t bits = 0, bit = 1;
    for (const auto& map : whole_.maps) {
      if (map.from != set) continue;
      for (const std::int64_t target : whole_.row(map, element))
        if (is_owned(map.to, target, rank)) bits |= bit;
      bit <<= 1;
    }
    return bits;
  }
  /// Owned elements, those to be executed, and targets of both.
  struct Elements {
    std::set<std::int64_t> owned, executed, read;
  };
  Elements elements(std::size_t set, int rank) const {
    Elements all;
    for (std::size_t at = 0; at < whole_.sizes[set]; ++at) {
      const auto number = static_cast<std::int64_t>(at);
      if (is_owned(set, number, rank))
        all.owned.insert(number);
      else if (maps_to(set, number, rank) != 0)
        all.executed.insert(number);
    }
    for (const auto& map : whole_.maps) {
      if (map.to != set) continue;
      for (std::size_t at = 0; at < whole_.sizes[map.from]; ++at) {
        const auto source = static_cast<std::int64_t>(at);
        if (!is_owned(map.from, source, rank) && maps_to(map.from, source, rank) == 0) continue;
        for (const std::int64_t target : whole_.row(map, source))
          if (!all.owned.contains(target) && !all.executed.contains(target))
            all.read.insert(target);
      }
    }
    return all;
  }

  void check_elements(const SetPart& part, std::size_t set, int rank) const {
    const Elements expected = elements(set, rank);
    ASSERT_EQ(part.global_size, static_cast<std::int64_t>(whole_.sizes[set]));
    ASSERT_EQ(part.numbers.size(), part.sizes[3]);
    const auto numbers = [&](std::size_t begin, std::size_t end) {
      std::vector<std::int64_t> list(part.numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                                     part.numbers.begin() + static_cast<std::ptrdiff_t>(end));
      std::ranges::sort(list);
      return list;
    };
    const auto list = [](const std::set<std::int64_t>& all) {
      return std::vector(all.begin(), all.end());
    };
    ASSERT_EQ(numbers(0, part.sizes[1]), list(expected.owned));
    ASSERT_EQ(numbers(part.sizes[1], part.sizes[2]), list(expected.executed));
    ASSERT_EQ(numbers(part.sizes[2], part.sizes[3]), list(expected.read));
    ASSERT_EQ(part.exec_maps.size(), part.sizes[2] - part.sizes[1]);
    for (std::size_t at = 0; at < part.exec_maps.size(); ++at) {
      EXPECT_EQ(part.exec_maps[at], maps_to(set, part.numbers[part.sizes[1] + at], rank));
      if (at == 0) continue;
      EXPECT_LE(part.exec_maps[at - 1], part.exec_maps[at]);
    }
  }

  void check_core(const HeldPart& part, std::size_t set, int rank) const {
    const SetPart& own = part.sets[set];
    for (std::size_t at = 0; at < own.sizes[1]; ++at) {
      bool leads_out = false;
      for (const auto& map : whole_.maps)
        if (map.from == set)
          for (const std::int64_t target : whole_.row(map, own.numbers[at]))
            leads_out |= !is_owned(map.to, target, rank);
      const bool is_copied = std::ranges::any_of(own.neighbours, [&](const HaloNeighbour& one) {
        return std::ranges::find(one.exports, static_cast<std::int32_t>(at)) != one.exports.end();
      });
      ASSERT_EQ(at >= own.sizes[0], leads_out || is_copied) << "element " << at;
    }
  }

  void check_imports(const std::vector<HeldPart>& held, std::size_t set, int rank) const {
    const SetPart& mine = held[static_cast<std::size_t>(rank)].sets[set];
    std::vector<int> imported(mine.sizes[3], 0);
    int last = -1;
    for (const HaloNeighbour& neighbour : mine.neighbours) {
      ASSERT_GT(neighbour.rank, last);
      ASSERT_NE(neighbour.rank, rank);
      last = neighbour.rank;
      ASSERT_FALSE(neighbour.exports.empty() && neighbour.imports.empty());
      const SetPart& other = held[static_cast<std::size_t>(neighbour.rank)].sets[set];
      const auto back = std::ranges::find(other.neighbours, rank, &HaloNeighbour::rank);
      ASSERT_NE(back, other.neighbours.end());
      ASSERT_EQ(neighbour.imports.size(), back->exports.size());
      ASSERT_TRUE(std::ranges::is_sorted(neighbour.imports));
      for (std::size_t at = 0; at < neighbour.imports.size(); ++at) {
        const auto here = static_cast<std::size_t>(neighbour.imports[at]);
        const auto there = static_cast<std::size_t>(back->exports[at]);
        ASSERT_LT(there, other.sizes[1]);
        ASSERT_EQ(mine.numbers[here], other.numbers[there]);
        ++imported[here];
      }
    }
    for (std::size_t at = 0; at < imported.size(); ++at)
      ASSERT_EQ(imported[at], at < mine.sizes[1] ? 0 : 1) << "element " << at;
  }

  void check_maps(const HeldPart& part) const {
    for (std::size_t which = 0; which < whole_.maps.size(); ++which) {
      const auto& map = whole_.maps[which];
      const SetPart &from = part.sets[map.from], &to = part.sets[map.to];
      ASSERT_EQ(part.maps[which].size(), from.sizes[3] * map.arity);
      for (std::size_t at = 0; at < from.sizes[2]; ++at)
        for (std::size_t k = 0; k < map.arity; ++k) {
          const auto local = static_cast<std::size_t>(part.maps[which][at * map.arity + k]);
          ASSERT_LT(local, to.sizes[3]);
          ASSERT_EQ(to.numbers[local], whole_.row(map, from.numbers[at])[k]);
        }
    }
  }

  void check_dats(const HeldPart& part) const {
    for (std::size_t which = 0; which < whole_.dats.size(); ++which) {
      const auto& dat = whole_.dats[which];
      const SetPart& on = part.sets[dat.set];
      ASSERT_EQ(part.dats[which].size(), on.sizes[3] * dat.dim);
      for (std::size_t at = 0; at < on.sizes[3]; ++at)
        for (std::size_t k = 0; k < dat.dim; ++k)
          ASSERT_EQ(part.dats[which][at * dat.dim + k], WholeMesh::value(which, on.numbers[at], k));
    }
  }

  void check_fetched(const HeldPart& part, int rank) const {
    const auto begin = [&](std::size_t set) {
      return starts_[set][static_cast<std::size_t>(rank)];
    };
    const auto end = [&](std::size_t set) {
      return starts_[set][static_cast<std::size_t>(rank) + 1];
    };
    for (std::size_t which = 0; which < whole_.maps.size(); ++which) {
      const auto& map = whole_.maps[which];
      const auto arity = static_cast<std::int64_t>(map.arity);
      ASSERT_EQ(part.fetched_maps[which], std::vector(map.values.begin() + begin(map.from) * arity,
                                                      map.values.begin() + end(map.from) * arity));
    }
    for (std::size_t which = 0; which < whole_.dats.size(); ++which) {
      const auto& dat = whole_.dats[which];
      std::vector<double> expected;
      for (std::int64_t element = begin(dat.set); element < end(dat.set); ++element)
        for (std::size_t k = 0; k < dat.dim; ++k)
          expected.push_back(WholeMesh::value(which, element, k));
      ASSERT_EQ(part.fetched_dats[which], expected);
    }
  }

  const WholeMesh& whole_;
  const int parts_;
  const Starts& starts_;
  std::vector<std::vector<std::int32_t>> owners_;  ///< by set
  std::vector<bool> is_known_;
};

}  // namespace kiln::mesh::testing
