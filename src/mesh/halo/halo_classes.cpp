// How a halo class is made: each part says which copies it reads, the owners note what they send.
#include "mesh/halo/halo_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// Numbers as bytes, and back.
class ListWriter {
 public:
  void add(std::span<const std::int32_t> numbers) {
    add_one(static_cast<std::int32_t>(numbers.size()));
    const auto bytes = std::as_bytes(numbers);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  void add_one(std::int32_t number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> bytes_;
};

class ListReader {
 public:
  explicit ListReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::vector<std::int32_t> next() {
    std::int32_t count = 0;
    take(&count, sizeof count);
    if (count < 0) fail();
    std::vector<std::int32_t> numbers;
    if (static_cast<std::size_t>(count) > rest_.size() / sizeof(std::int32_t)) fail();
    numbers.resize(static_cast<std::size_t>(count));
    take(numbers.data(), numbers.size() * sizeof(std::int32_t));
    return numbers;
  }

 private:
  [[noreturn]] static void fail() {
    throw Error(Errc::internal, "a list of halo elements from another part ends early");
  }
  void take(void* to, std::size_t bytes) {
    if (bytes > rest_.size()) fail();
    if (bytes > 0) std::memcpy(to, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
  }
  std::span<const std::byte> rest_;
};

/// Which of a neighbour's imports, by place in the list, are among some elements, rising.
std::vector<std::int32_t> places_of(const HaloNeighbour& neighbour,
                                    std::span<const std::int32_t> elements) {
  std::vector<std::int32_t> places;
  for (std::size_t k = 0; k < neighbour.imports.size(); ++k)
    if (std::ranges::binary_search(elements, neighbour.imports[k]))
      places.push_back(static_cast<std::int32_t>(k));
  return places;
}

std::vector<std::int32_t> at_places(const std::vector<std::int32_t>& list,
                                    std::span<const std::int32_t> places) {
  std::vector<std::int32_t> found;
  for (const std::int32_t place : places) {
    if (place < 0 || static_cast<std::size_t>(place) >= list.size())
      throw Error(Errc::internal, "another part asks for an element that it has no copy of");
    found.push_back(list[static_cast<std::size_t>(place)]);
  }
  return found;
}

HaloNeighbour& neighbour_of(HaloClass& made, int rank) {
  auto at = std::ranges::lower_bound(made.neighbours, rank, {}, &HaloNeighbour::rank);
  if (at == made.neighbours.end() || at->rank != rank)
    at = made.neighbours.insert(at, HaloNeighbour{rank, {}, {}});
  return *at;
}

/// How two classes are related on one part; of all parts what holds everywhere.
constexpr unsigned is_within = 1, has_within = 2;
/// Of a need that was asked for: nothing holds what it was given.
constexpr unsigned is_unused = 4;

}  // namespace

HaloClassPtr HaloClasses::whole(const SetState& set) {
  auto& made = wholes_[set.id];
  if (made) return made;
  made = std::make_shared<HaloClass>();
  made->id = ++last_;
  made->set = &set;
  made->set_id = set.id;
  made->neighbours = set.part->neighbours;
  made->has_all = true;
  made->within = {made->id};
  all_.push_back(made);
  return made;
}

HaloClassPtr HaloClasses::find(const HaloNeed& need) const {
  const auto known = by_recipe_.find({need.set->id, need.recipe});
  return known == by_recipe_.end() ? nullptr : given(asked_[known->second]);
}

std::vector<HaloClassPtr> HaloClasses::get(const std::string& what, const std::string& details,
                                           std::span<const HaloNeed> needs) {
  std::vector<HaloClassPtr> all(needs.size());
  std::vector<Recipe> recipes;  // those that are new
  std::vector<const HaloNeed*> missing;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    Recipe recipe{needs[i].set->id, needs[i].recipe};
    all[i] = find(needs[i]);
    if (all[i] == nullptr && std::ranges::find(recipes, recipe) == recipes.end()) {
      recipes.push_back(std::move(recipe));
      missing.push_back(&needs[i]);
    }
  }
  Agreement(transport_).gather(what, fmt::format("{}\n{} new", details, missing.size()), {});
  if (missing.empty()) return all;
  // So that these can be what the new ones are compared with.
  for (const HaloNeed* need : missing) whole(*need->set);
  Made made = make(what, missing);
  share_equal_ones(what, made);
  for (std::size_t k = 0; k < made.size(); ++k) {
    by_recipe_.emplace(recipes[k], asked_.size());
    asked_.push_back(std::make_shared<Asked>(Asked{std::move(recipes[k]), std::move(made[k])}));
  }
  for (std::size_t i = 0; i < needs.size(); ++i)
    if (all[i] == nullptr) all[i] = find(needs[i]);
  return all;
}

HaloClasses::Made HaloClasses::make(const std::string& what,
                                    std::span<const HaloNeed* const> needs) {
  Made made;
  std::map<int, ListWriter> packings;  // by owner: the places of each need
  std::map<int, std::size_t> added;
  for (const HaloNeed* need : needs) {
    auto& one = *made.emplace_back(std::make_shared<HaloClass>());
    one.set = need->set;
    one.set_id = need->set->id;
    const auto elements = need->elements();
    for (const HaloNeighbour& neighbour : need->set->part->neighbours) {
      const auto places = places_of(neighbour, elements);
      if (places.empty()) continue;
      neighbour_of(one, neighbour.rank).imports = at_places(neighbour.imports, places);
      auto& packing = packings[neighbour.rank];
      // A list for each need, empty ones before it included.
      for (auto& count = added[neighbour.rank]; count + 1 < made.size(); ++count) packing.add({});
      packing.add(places);
      added[neighbour.rank] = made.size();
    }
  }
  std::vector<Transport::Packet> packets;
  for (auto& [rank, packing] : packings) {
    for (auto count = added[rank]; count < needs.size(); ++count) packing.add({});
    packets.push_back({rank, std::move(packing.bytes())});
  }
  for (const auto& packet : transport_.deliver(std::move(packets), "halo lists of " + what)) {
    ListReader lists(packet.bytes);
    for (auto& one : made) {
      const auto places = lists.next();
      if (places.empty()) continue;
      const auto& known = one->set->part->neighbours;
      const auto neighbour = std::ranges::find(known, packet.rank, &HaloNeighbour::rank);
      if (neighbour == known.end())
        throw Error(Errc::internal, "a part that is no neighbour asks for elements");
      neighbour_of(*one, packet.rank).exports = at_places(neighbour->exports, places);
    }
  }
  return made;
}

/// Two classes are one where they are equal on all parts; which one is within which other one is
/// what decides on what is fresh, so that all parts must find the same.
void HaloClasses::share_equal_ones(const std::string& what, Made& made) {
  Made known = all_;
  const std::size_t before = known.size();
  known.insert(known.end(), made.begin(), made.end());
  std::vector<std::byte> mine;
  const auto for_pairs = [&](const auto& visit) {
    for (std::size_t k = 0; k < made.size(); ++k)
      for (std::size_t other = 0; other < before + k; ++other)
        if (known[other]->set_id == made[k]->set_id) visit(k, other);
  };
  for_pairs([&](std::size_t k, std::size_t other) {
    const auto &a = made[k]->neighbours, &b = known[other]->neighbours;
    mine.push_back(static_cast<std::byte>((imports_within(a, b) ? is_within : 0) |
                                          (imports_within(b, a) ? has_within : 0)));
  });
  const std::size_t pairs = mine.size();
  // All parts have as many, and look at the same time.
  if (asked_.size() >= most_)
    for (const auto& asked : asked_)
      mine.push_back(static_cast<std::byte>(asked.use_count() == 1 ? is_unused : 0));
  const std::size_t width = mine.size();
  const auto all = Agreement(transport_).gather("halo classes of " + what, "", mine);
  for (std::size_t i = 0; i < all.size(); ++i) mine[i % width] &= all[i];
  for (auto& one : made) {
    one->id = ++last_;
    one->within = {one->id};
  }
  std::size_t pair = 0;
  std::vector<std::shared_ptr<HaloClass>> same(made.size());
  for_pairs([&](std::size_t k, std::size_t other) {
    const auto relation = std::to_integer<unsigned>(mine[pair++]);
    if (relation == (is_within | has_within) && !same[k]) same[k] = known[other];
    if ((relation & is_within) != 0) made[k]->within.push_back(known[other]->id);
    if ((relation & has_within) != 0) known[other]->within.push_back(made[k]->id);
  });
  // Equality is transitive, so that what a class is the same as was never replaced itself.
  for (std::size_t k = 0; k < made.size(); ++k)
    if (same[k])
      made[k] = same[k];
    else
      all_.push_back(made[k]);
  if (width == pairs) return;
  std::vector<bool> is_used;
  for (std::size_t k = pairs; k < width; ++k)
    is_used.push_back((std::to_integer<unsigned>(mine[k]) & is_unused) == 0);
  drop_unused(is_used, made);
}

void HaloClasses::drop_unused(const std::vector<bool>& is_used, const Made& made) {
  std::vector<std::shared_ptr<Asked>> kept;
  by_recipe_.clear();
  std::set<const HaloClass*> needed;
  for (const auto& [set, whole] : wholes_) needed.insert(whole.get());
  for (const auto& one : made) needed.insert(one.get());
  for (std::size_t k = 0; k < asked_.size(); ++k) {
    if (!is_used[k]) continue;
    needed.insert(asked_[k]->made.get());
    by_recipe_.emplace(asked_[k]->recipe, kept.size());
    kept.push_back(asked_[k]);
  }
  asked_ = std::move(kept);
  most_ = std::max<std::size_t>(64, 2 * asked_.size());
  std::set<std::uint64_t> gone;
  std::erase_if(all_, [&](const auto& one) {
    if (needed.contains(one.get())) return false;
    gone.insert(one->id);
    return true;
  });
  for (const auto& one : all_)
    std::erase_if(one->within, [&](std::uint64_t id) { return gone.contains(id); });
}

}  // namespace kiln::mesh
