// Which elements of others a part needs.
#include <algorithm>
#include <tuple>

#include "mesh/distributed/columns.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mesh_rows.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// Elements of a set that maps lead to, but which are owned elsewhere, and where.
class Foreign {
 public:
  void note(std::int64_t number) { new_.push_back(number); }
  /// Asks for the owners of those that were noted since the last time. All parts call it.
  void look_up_owners(Transport& transport, const SetRows& set) {
    make_rising(new_);
    if (!numbers_.empty())
      std::erase_if(new_, [&](std::int64_t number) {
        return std::binary_search(numbers_.begin(), numbers_.end(), number);
      });
    if (set.has_columns) add_columns(transport, set);
    const auto owners = look_up(transport, *set.blocks, new_, set.owners);
    std::vector<std::pair<std::int64_t, std::int32_t>> all;
    for (std::size_t at = 0; at < numbers_.size(); ++at) all.emplace_back(numbers_[at], ranks_[at]);
    for (std::size_t at = 0; at < new_.size(); ++at) all.emplace_back(new_[at], owners[at]);
    std::sort(all.begin(), all.end());
    numbers_.clear(), ranks_.clear(), new_.clear();
    for (const auto& [number, rank] : all) {
      numbers_.push_back(number);
      ranks_.push_back(rank);
    }
  }
  std::int32_t rank_of(std::int64_t number) const {
    return ranks_[static_cast<std::size_t>(
        std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin())];
  }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }

 private:
  /// Columns are here as a whole, or not at all.
  void add_columns(Transport& transport, const SetRows& set) {
    const auto depths = look_up(transport, *set.blocks, new_, set.depth),
               heights = look_up(transport, *set.blocks, new_, set.height);
    std::vector<std::int64_t> all;
    for (std::size_t at = 0; at < new_.size(); ++at)
      for (auto number = new_[at] - depths[at]; number <= new_[at] + heights[at]; ++number)
        if (all.empty() || number > all.back()) all.push_back(number);
    new_ = std::move(all);
  }

  std::vector<std::int64_t> numbers_, new_;
  std::vector<std::int32_t> ranks_;
};

class HaloSearch {
 public:
  explicit HaloSearch(MeshRows& mesh) : mesh_(mesh), foreign_(mesh.sets.size()) {
    for (const auto& set : mesh.sets) owned_.emplace_back(set.numbers);
  }

  void run() {
    note_foreign_targets(0);
    for (auto& set : mesh_.sets) bring_executed(set);
    note_foreign_targets(1);
    take_copied_from_core();
    for (std::size_t at = 0; at < mesh_.sets.size(); ++at) add_read(at);
  }

 private:
  /// Of owned elements' maps (round 0), or of those that are executed (round 1).
  void note_foreign_targets(int round) {
    for (const MapRows& map : mesh_.maps) {
      const std::size_t owned = mesh_.sets[map.from].numbers.size() * map.arity;
      const std::size_t begin = round == 0 ? 0 : owned;
      for (std::size_t k = begin; k < map.values.size(); ++k)
        if (owned_[map.to].find(map.values[k]) < 0) foreign_[map.to].note(map.values[k]);
    }
    for (std::size_t at = 0; at < mesh_.sets.size(); ++at)
      foreign_[at].look_up_owners(mesh_.transport, mesh_.sets[at]);
  }

  /// Parts whose elements an owned element's maps lead to, each with the maps that do.
  using Destinations = std::vector<std::pair<std::int32_t, std::uint64_t>>;
  void add_destinations(const SetRows& set, std::size_t row, Destinations& to) const {
    for (const std::size_t place : set.maps) {
      const MapRows& map = mesh_.maps[place];
      const std::uint64_t bit = map.state->exec_bit();
      for (std::size_t k = row * map.arity; k < (row + 1) * map.arity; ++k) {
        if (owned_[map.to].find(map.values[k]) >= 0) continue;
        const std::int32_t rank = foreign_[map.to].rank_of(map.values[k]);
        const auto at =
            std::ranges::find_if(to, [&](const auto& known) { return known.first == rank; });
        at == to.end() ? void(to.emplace_back(rank, bit)) : void(at->second |= bit);
      }
    }
  }

  struct Leaving {
    std::size_t row = 0;
    std::uint64_t maps = 0;
  };

  /// Sends elements to those whose elements they lead to, with their rows of all maps; what comes
  /// is the exec halo.
  void bring_executed(SetRows& set) {
    std::map<std::int32_t, std::vector<Leaving>> leaving;
    set.is_core.assign(set.numbers.size(), 1);
    Destinations to;
    // Columns, where there are some, are executed as a whole.
    for (std::size_t begin = 0, end = 0; begin < set.numbers.size(); begin = end) {
      end = end_of_column(set, begin);
      to.clear();
      for (std::size_t row = begin; row < end; ++row) add_destinations(set, row, to);
      if (to.empty()) continue;
      for (std::size_t row = begin; row < end; ++row) {
        set.is_core[row] = 0;
        for (const auto& [rank, maps] : to) leaving[rank].push_back({row, maps});
      }
    }
    receive_executed(set,
                     mesh_.transport.deliver(pack(set, leaving),
                                             fmt::format("exec halo of set {}", set.state->name)));
  }

  std::vector<Transport::Packet> pack(
      const SetRows& set, const std::map<std::int32_t, std::vector<Leaving>>& leaving) const {
    std::vector<Transport::Packet> packets;
    std::vector<std::int64_t> row;
    for (const auto& [rank, elements] : leaving) {
      std::vector<std::byte> packet;
      std::vector<std::int64_t> numbers{static_cast<std::int64_t>(elements.size())};
      std::vector<std::uint64_t> maps;
      for (const Leaving& element : elements) {
        numbers.push_back(set.numbers[element.row]);
        maps.push_back(element.maps);
      }
      append_to<std::int64_t>(packet, numbers);
      append_to<std::uint64_t>(packet, maps);
      for (const Leaving& element : elements)
        for (const std::size_t place : set.maps) {
          const MapRows& map = mesh_.maps[place];
          map.values.copy(element.row * map.arity, map.arity, row);
          append_to<std::int64_t>(packet, row);
        }
      packets.push_back({rank, std::move(packet)});
    }
    return packets;
  }

  void receive_executed(SetRows& set, const std::vector<Transport::Packet>& packets) {
    std::size_t width = 0;  // numbers of an element's rows of maps
    for (const std::size_t place : set.maps) width += mesh_.maps[place].arity;
    std::vector<std::int64_t> rows;
    for (const auto& packet : packets) {
      Unpacking from(packet);
      const auto count = static_cast<std::size_t>(from.take<std::int64_t>());
      std::vector<std::int64_t> numbers;
      std::vector<std::uint64_t> maps;
      from.append_to(numbers, count);
      from.append_to(maps, count);
      from.append_to(rows, count * width);
      for (std::size_t at = 0; at < count; ++at)
        set.halo.push_back({numbers[at], packet.rank, maps[at]});
    }
    set.executed = set.halo.size();
    append_rows(set, sort_executed(set), rows, width);
  }

  /// By the maps that lead to owned elements, so that equal ones lie together. Gives for each place
  /// where it was.
  static std::vector<std::size_t> sort_executed(SetRows& set) {
    std::vector<std::size_t> was(set.halo.size());
    for (std::size_t at = 0; at < was.size(); ++at) was[at] = at;
    const auto key = [&](std::size_t at) {
      const auto& copy = set.halo[at];
      return std::tuple(copy.exec_maps, copy.rank, copy.number);
    };
    std::sort(was.begin(), was.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<SetRows::Copy> sorted;
    for (const std::size_t at : was) sorted.push_back(set.halo[at]);
    set.halo = std::move(sorted);
    return was;
  }

  void append_rows(const SetRows& set, const std::vector<std::size_t>& order,
                   const std::vector<std::int64_t>& rows, std::size_t width) {
    std::size_t first = 0;
    for (const std::size_t place : set.maps) {
      MapRows& map = mesh_.maps[place];
      map.values.reserve(map.values.size() + order.size() * map.arity);
      for (const std::size_t at : order)
        for (std::size_t k = 0; k < map.arity; ++k) map.values.append(rows[at * width + first + k]);
      first += map.arity;
    }
  }

  /// Elements that others have copies of are not core: those that they execute are not yet, and
  /// those that they read are targets of what they execute for this part, or this part for them. So
  /// no part has to tell another.
  void take_copied_from_core() {
    std::vector<std::vector<char>> is_copied;
    for (const auto& set : mesh_.sets) is_copied.emplace_back(set.numbers.size(), 0);
    for (const MapRows& map : mesh_.maps) {
      const SetRows& from = mesh_.sets[map.from];
      for (std::size_t row = 0; row * map.arity < map.values.size(); ++row) {
        if (row < from.numbers.size() && from.is_core[row] != 0) continue;
        for (std::size_t k = row * map.arity; k < (row + 1) * map.arity; ++k)
          if (const auto place = owned_[map.to].find(map.values[k]); place >= 0)
            is_copied[map.to][static_cast<std::size_t>(place)] = 1;
      }
    }
    for (std::size_t at = 0; at < mesh_.sets.size(); ++at) {
      SetRows& set = mesh_.sets[at];
      for (std::size_t begin = 0, end = 0; begin < set.numbers.size(); begin = end) {
        end = end_of_column(set, begin);
        const auto of_column = std::span(is_copied[at]).subspan(begin, end - begin);
        if (std::ranges::none_of(of_column, [](char one) { return one != 0; })) continue;
        std::fill_n(set.is_core.begin() + static_cast<std::ptrdiff_t>(begin), end - begin, 0);
      }
    }
  }

  /// Targets that are neither owned nor executed: from each owner together, rising.
  void add_read(std::size_t at) {
    SetRows& set = mesh_.sets[at];
    std::vector<std::int64_t> executed;
    for (const auto& copy : set.halo) executed.push_back(copy.number);
    make_rising(executed);
    for (const std::int64_t number : foreign_[at].numbers())
      if (!std::binary_search(executed.begin(), executed.end(), number))
        set.halo.push_back({number, foreign_[at].rank_of(number), 0});
    std::sort(set.halo.begin() + static_cast<std::ptrdiff_t>(set.executed), set.halo.end(),
              [](const auto& a, const auto& b) {
                return std::tuple(a.rank, a.number) < std::tuple(b.rank, b.number);
              });
  }

  MeshRows& mesh_;
  std::vector<NumberIndex> owned_;
  std::vector<Foreign> foreign_;  ///< by set
};

}  // namespace

void find_halos(MeshRows& mesh) { HaloSearch(mesh).run(); }

}  // namespace kiln::mesh
