// The local order of owned elements: core first; what is used together lies together.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "mesh/distributed/columns.hpp"
#include "mesh/distributed/graph.hpp"
#include "mesh/distributed/local_numbers.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// Local numbers are int32. Throws unsupported.
void check_size(const SetRows& set, int rank) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (set.total() > most)
    throw Error(Errc::unsupported,
                fmt::format("set {}: part {} has {} elements with its halo, expected at most {}: "
                            "more parts",
                            set.state->name, rank, set.total(), most));
}

class Numbering {
 public:
  Numbering(MeshRows& mesh, std::size_t primary, std::span<const std::size_t> adjacency, int common)
      : mesh_(mesh),
        primary_(primary),
        adjacency_(adjacency),
        common_(common),
        local_(mesh.sets.size()) {}

  /// The order of the whole mesh, or reverse Cuthill-McKee's: a mesh that was made row by row is
  /// better as it is, and most others are not.
  void run() {
    keep_order();
    const std::size_t kept = lines();
    order_anew();
    if (kept <= lines()) keep_order();
  }

 private:
  void keep_order() {
    for (std::size_t set = 0; set < mesh_.sets.size(); ++set) place(set, by_number(set));
  }
  void order_anew() {
    for (auto& local : local_) local.reset();
    place(primary_, reverse_cuthill_mckee(owned_graph(mesh_, primary_, adjacency_, common_)));
    while (place_by_targets() || place_by_sources()) {
    }
    for (std::size_t set = 0; set < mesh_.sets.size(); ++set)
      if (!local_[set]) place(set, by_number(set));
  }

  /// What memory says to the present order: of elements that are computed together, as on a GPU's
  /// compute unit, so many different cache lines are targets of the maps. Of a sample.
  std::size_t lines() const {
    constexpr std::size_t together = 32, sampled = 8;
    constexpr std::int32_t line = 4;  ///< elements in one: four doubles each, of 128 bytes
    std::size_t count = 0;
    std::vector<std::int32_t> met;
    for (const MapRows& map : mesh_.maps) {
      const auto& order = mesh_.sets[map.from].order;
      const LocalNumbers& to = *local_[map.to];
      for (std::size_t begin = 0; begin < order.size(); begin += together * sampled) {
        met.clear();
        for (std::size_t at = begin; at < std::min(begin + together, order.size()); ++at)
          for (std::size_t k = 0; k < map.arity; ++k)
            met.push_back(to.of(map.values[static_cast<std::size_t>(order[at]) * map.arity + k]) /
                          line);
        std::ranges::sort(met);
        count += static_cast<std::size_t>(std::ranges::unique(met).begin() - met.begin());
      }
    }
    return count;
  }

  std::vector<std::int32_t> by_number(std::size_t set) const {
    std::vector<std::int32_t> order(mesh_.sets[set].numbers.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  /// Core elements go to the front, whole columns where there are some; apart from that they stay
  /// in this order.
  void place(std::size_t at, std::vector<std::int32_t> order) {
    SetRows& set = mesh_.sets[at];
    order = with_whole_columns(set, std::move(order));
    const auto rest = std::stable_partition(order.begin(), order.end(), [&](std::int32_t place) {
      return set.is_core[static_cast<std::size_t>(place)] != 0;
    });
    set.core = static_cast<std::size_t>(rest - order.begin());
    set.order = std::move(order);
    local_[at].emplace(set);
  }

  /// Sets that lead to a set with an order: by the first of their targets, then by the last.
  bool place_by_targets() {
    std::vector<std::pair<std::size_t, std::vector<std::int32_t>>> orders;
    for (std::size_t set = 0; set < mesh_.sets.size(); ++set) {
      if (local_[set]) continue;
      const auto& maps = mesh_.sets[set].maps;
      const auto map = std::ranges::find_if(
          maps, [&](std::size_t one) { return local_[mesh_.maps[one].to].has_value(); });
      if (map != maps.end()) orders.emplace_back(set, order_by_targets(set, mesh_.maps[*map]));
    }
    for (auto& [set, order] : orders) place(set, std::move(order));
    return !orders.empty();
  }

  std::vector<std::int32_t> order_by_targets(std::size_t set, const MapRows& map) const {
    auto order = by_number(set);
    const LocalNumbers& to = *local_[map.to];
    std::vector<std::array<std::int32_t, 3>> keys;
    keys.reserve(order.size());
    for (std::size_t row = 0; row < order.size(); ++row) {
      std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = 0;
      for (std::size_t k = row * map.arity; k < (row + 1) * map.arity; ++k) {
        const std::int32_t target = to.of(map.values[k]);
        least = std::min(least, target);
        most = std::max(most, target);
      }
      keys.push_back({least, most, static_cast<std::int32_t>(row)});
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t row = 0; row < order.size(); ++row) order[row] = keys[row][2];
    return order;
  }

  /// Sets that a set with an order leads to: as they are first met; best by the primary set.
  bool place_by_sources() {
    std::vector<std::pair<std::size_t, std::vector<std::int32_t>>> orders;
    for (std::size_t set = 0; set < mesh_.sets.size(); ++set) {
      if (local_[set]) continue;
      const MapRows* chosen = nullptr;
      for (const MapRows& map : mesh_.maps) {
        if (map.to != set || !local_[map.from]) continue;
        if (chosen == nullptr || (map.from == primary_ && chosen->from != primary_)) chosen = &map;
      }
      if (chosen != nullptr) orders.emplace_back(set, order_by_sources(set, *chosen));
    }
    for (auto& [set, order] : orders) place(set, std::move(order));
    return !orders.empty();
  }

  std::vector<std::int32_t> order_by_sources(std::size_t set, const MapRows& map) const {
    const auto& numbers = mesh_.sets[set].numbers;
    const NumberIndex owned(numbers);
    std::vector<char> is_met(numbers.size(), 0);
    std::vector<std::int32_t> order;
    order.reserve(numbers.size());
    const auto meet = [&](std::size_t place) {
      if (is_met[place]) return;
      is_met[place] = 1;
      order.push_back(static_cast<std::int32_t>(place));
    };
    for (const std::int32_t row : mesh_.sets[map.from].order)
      for (std::size_t k = 0; k < map.arity; ++k) {
        const auto place = owned.find(map.values[static_cast<std::size_t>(row) * map.arity + k]);
        if (place >= 0) meet(static_cast<std::size_t>(place));
      }
    for (std::size_t place = 0; place < numbers.size(); ++place) meet(place);
    return order;
  }

  MeshRows& mesh_;
  const std::size_t primary_;
  const std::span<const std::size_t> adjacency_;
  const int common_;
  std::vector<std::optional<LocalNumbers>> local_;  ///< of sets with an order
};

}  // namespace

void number_locally(MeshRows& mesh, std::size_t primary, const std::vector<std::size_t>& adjacency,
                    int common) {
  together(mesh.transport, "sizes of parts", [&] {
    for (const auto& set : mesh.sets) check_size(set, mesh.transport.rank());
  });
  Numbering(mesh, primary, adjacency, common).run();
}

}  // namespace kiln::mesh
