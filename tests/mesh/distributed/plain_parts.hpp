#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "kiln/mesh.hpp"

/// Parts of small meshes, found from the whole mesh by the definitions alone.
namespace kiln::mesh::testing {

struct PlainMap {
  std::size_t from = 0, to = 0, arity = 1;
  std::vector<std::int32_t> values;
};

struct PlainMesh {
  std::vector<std::size_t> sizes;  ///< of the sets
  std::vector<PlainMap> maps;      ///< in the order of their declaration
};

/// The owner of each element of each set.
using Owners = std::vector<std::vector<int>>;

/// One part: its sets, and the maps' local values.
struct PlainPart {
  std::vector<SetPart> sets;
  std::vector<std::vector<std::int32_t>> maps;
};

class PlainParts {
 public:
  PlainParts(const PlainMesh& mesh, const Owners& owners, int parts)
      : mesh_(mesh), owners_(owners), halos_(static_cast<std::size_t>(parts)) {
    for (int rank = 0; rank < parts; ++rank) find_halo(rank);
    for (int rank = 0; rank < parts; ++rank) parts_.push_back(part_of(rank));
  }
  const PlainPart& operator[](int rank) const { return parts_[static_cast<std::size_t>(rank)]; }
  int owner(std::size_t set, std::int64_t element) const {
    return owners_[set][static_cast<std::size_t>(element)];
  }

  /// Elements of a set that a part executes redundantly where a loop writes through some maps.
  std::set<std::int64_t> executed(int rank, std::size_t set, std::uint64_t maps) const {
    std::set<std::int64_t> found;
    for (const auto& [element, bits] : halos_[static_cast<std::size_t>(rank)].exec[set])
      if ((bits & maps) != 0) found.insert(element);
    return found;
  }
  std::span<const std::int32_t> targets(std::size_t map, std::int64_t element) const {
    const PlainMap& of = mesh_.maps[map];
    return std::span(of.values).subspan(static_cast<std::size_t>(element) * of.arity, of.arity);
  }
  std::int64_t size(std::size_t set) const { return static_cast<std::int64_t>(mesh_.sizes[set]); }

 private:
  struct Halo {
    std::vector<std::map<std::int64_t, std::uint64_t>> exec;  ///< by set: with its bits
    std::vector<std::set<std::int64_t>> rest;
  };

  void find_halo(int rank) {
    Halo& halo = halos_[static_cast<std::size_t>(rank)];
    halo.exec.resize(mesh_.sizes.size());
    halo.rest.resize(mesh_.sizes.size());
    std::vector<unsigned> number(mesh_.sizes.size());
    for (std::size_t m = 0; m < mesh_.maps.size(); ++m) {
      const PlainMap& map = mesh_.maps[m];
      const std::uint64_t bit = std::uint64_t{1} << number[map.from]++;
      for (std::int64_t e = 0; e < size(map.from); ++e)
        for (const std::int32_t target : targets(m, e))
          if (owner(map.from, e) != rank && owner(map.to, target) == rank)
            halo.exec[map.from][e] |= bit;
    }
    for (std::size_t m = 0; m < mesh_.maps.size(); ++m) {
      const PlainMap& map = mesh_.maps[m];
      for (std::int64_t e = 0; e < size(map.from); ++e) {
        if (owner(map.from, e) != rank && halo.exec[map.from].count(e) == 0) continue;
        for (const std::int32_t target : targets(m, e))
          if (owner(map.to, target) != rank && halo.exec[map.to].count(target) == 0)
            halo.rest[map.to].insert(target);
      }
    }
  }

  bool is_core(int rank, std::size_t set, std::int64_t element) const {
    for (std::size_t m = 0; m < mesh_.maps.size(); ++m) {
      if (mesh_.maps[m].from != set) continue;
      for (const std::int32_t target : targets(m, element))
        if (owner(mesh_.maps[m].to, target) != rank) return false;
    }
    return true;
  }

  std::vector<std::int64_t> halo_of(int rank, std::size_t set) const {
    const Halo& halo = halos_[static_cast<std::size_t>(rank)];
    std::vector<std::int64_t> all(halo.rest[set].begin(), halo.rest[set].end());
    for (const auto& [element, bits] : halo.exec[set]) all.push_back(element);
    std::sort(all.begin(), all.end());
    return all;
  }

  /// In an order of its own: nothing may depend on that of the whole mesh.
  std::vector<std::int64_t> order_of(int rank, std::size_t set, std::array<std::size_t, 4>& sizes,
                                     std::vector<std::uint64_t>& exec_maps) const {
    const Halo& halo = halos_[static_cast<std::size_t>(rank)];
    std::vector<std::int64_t> core, owned;
    for (std::int64_t e = size(set) - 1; e >= 0; --e)
      if (owner(set, e) == rank) (is_core(rank, set, e) ? core : owned).push_back(e);
    std::vector<std::pair<std::uint64_t, std::int64_t>> exec;
    for (const auto& [element, bits] : halo.exec[set]) exec.emplace_back(bits, element);
    std::sort(exec.begin(), exec.end());
    std::vector<std::int64_t> order = core;
    sizes[0] = order.size();
    order.insert(order.end(), owned.begin(), owned.end());
    sizes[1] = order.size();
    for (const auto& [bits, element] : exec) {
      order.push_back(element);
      exec_maps.push_back(bits);
    }
    sizes[2] = order.size();
    order.insert(order.end(), halo.rest[set].rbegin(), halo.rest[set].rend());
    sizes[3] = order.size();
    return order;
  }

  PlainPart part_of(int rank) const {
    PlainPart part;
    std::vector<std::map<std::int64_t, std::int32_t>> local(mesh_.sizes.size());
    for (std::size_t set = 0; set < mesh_.sizes.size(); ++set) {
      SetPart& made = part.sets.emplace_back();
      made.global_size = size(set);
      made.numbers = order_of(rank, set, made.sizes, made.exec_maps);
      for (std::size_t k = 0; k < made.numbers.size(); ++k)
        local[set][made.numbers[k]] = static_cast<std::int32_t>(k);
      for (int other = 0; other < static_cast<int>(halos_.size()); ++other) {
        if (other == rank) continue;
        HaloNeighbour neighbour{other, {}, {}};
        for (const std::int64_t element : halo_of(rank, set))
          if (owner(set, element) == other) neighbour.imports.push_back(local[set][element]);
        for (const std::int64_t element : halo_of(other, set))
          if (owner(set, element) == rank) neighbour.exports.push_back(local[set][element]);
        if (!neighbour.imports.empty() || !neighbour.exports.empty())
          made.neighbours.push_back(std::move(neighbour));
      }
    }
    for (std::size_t m = 0; m < mesh_.maps.size(); ++m) {
      const PlainMap& map = mesh_.maps[m];
      auto& values = part.maps.emplace_back();
      for (const std::int64_t element : part.sets[map.from].numbers)
        for (const std::int32_t target : targets(m, element)) {
          const auto known = local[map.to].find(target);
          values.push_back(known == local[map.to].end() ? 0 : known->second);
        }
    }
    return part;
  }

  const PlainMesh mesh_;
  const Owners owners_;
  std::vector<Halo> halos_;
  std::vector<PlainPart> parts_;
};

/// Random owners; a part may get nothing.
inline Owners random_owners(const PlainMesh& mesh, int parts, std::mt19937& random) {
  Owners owners;
  for (const std::size_t size : mesh.sizes) {
    auto& of_set = owners.emplace_back(size);
    for (int& owner : of_set) owner = std::uniform_int_distribution<int>(0, parts - 1)(random);
  }
  return owners;
}

/// Values of a whole set's elements, `dim` each, as a part's local elements have them.
template <class T>
std::vector<T> local_values(const std::vector<T>& whole, const SetPart& part, std::size_t dim) {
  std::vector<T> values;
  for (const std::int64_t number : part.numbers)
    for (std::size_t k = 0; k < dim; ++k)
      values.push_back(whole[static_cast<std::size_t>(number) * dim + k]);
  return values;
}

/// Puts what a part owns into the values of the whole set.
template <class T>
void collect_owned(std::vector<T>& whole, std::span<const T> local, const SetPart& part,
                   std::size_t dim) {
  for (std::size_t e = 0; e < part.sizes[1]; ++e)
    for (std::size_t k = 0; k < dim; ++k)
      whole[static_cast<std::size_t>(part.numbers[e]) * dim + k] = local[e * dim + k];
}

}  // namespace kiln::mesh::testing
