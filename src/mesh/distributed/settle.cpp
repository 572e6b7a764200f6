// From plain lists back to a Mesh: parts of sets, local maps, dats with their halos.
#include "mesh/distributed/local_numbers.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

class Settling {
 public:
  Settling(Session& session, MeshRows& mesh) : session_(session), mesh_(mesh) {}

  void run() {
    for (auto& set : mesh_.sets) {
      local_.emplace_back(set);
      parts_.push_back(part_of(set, local_.back()));
    }
    std::vector<Residence> maps;
    for (MapRows& map : mesh_.maps) {
      maps.push_back(local_values(map));
      map.values.clear();
      give_back_memory();
    }
    local_.clear();
    give_back_memory();
    for (std::size_t at = 0; at < mesh_.sets.size(); ++at) {
      bring_values(at);
      number(*parts_[at], mesh_.sets[at]);
      free_memory(mesh_.sets[at].numbers);
      free_memory(mesh_.sets[at].order);
    }
    // What was made with the states as they were is forgotten; from here on nothing fails.
    for (std::size_t at = 0; at < mesh_.sets.size(); ++at) {
      SetState& state = *mesh_.sets[at].state;
      state.sizes = parts_[at]->sizes;
      state.part = parts_[at];
    }
    for (std::size_t at = 0; at < mesh_.maps.size(); ++at)
      change(mesh_.maps[at], std::move(maps[at]));
    for (DatRows& dat : mesh_.dats) change(dat);
  }

 private:
  std::shared_ptr<SetPart> part_of(const SetRows& set, const LocalNumbers& local) {
    auto part = std::make_shared<SetPart>();
    part->global_size = set.blocks->size();
    const std::size_t owned = set.numbers.size();
    part->sizes = {set.core, owned, owned + set.executed, set.total()};
    for (std::size_t at = 0; at < set.executed; ++at)
      part->exec_maps.push_back(set.halo[at].exec_maps);
    find_neighbours(*part, set, local);
    return part;
  }

  /// Last, when there are no tables of numbers any more.
  static void number(SetPart& part, const SetRows& set) {
    part.numbers.reserve(set.total());
    for (const std::int32_t place : set.order)
      part.numbers.push_back(set.numbers[static_cast<std::size_t>(place)]);
    for (const SetRows::Copy& copy : set.halo) part.numbers.push_back(copy.number);
  }

  /// Owners learn who has copies, in the order in which these lie there.
  void find_neighbours(SetPart& part, const SetRows& set, const LocalNumbers& local) {
    std::map<int, HaloNeighbour> by_rank;
    const auto of = [&](int rank) -> HaloNeighbour& {
      HaloNeighbour& neighbour = by_rank[rank];
      neighbour.rank = rank;
      return neighbour;
    };
    Outbox<std::int64_t> wanted;
    for (std::size_t at = 0; at < set.halo.size(); ++at) {
      of(set.halo[at].rank).imports.push_back(static_cast<std::int32_t>(set.numbers.size() + at));
      wanted.add(set.halo[at].rank, set.halo[at].number);
    }
    for (const auto& [rank, numbers] :
         wanted.deliver(mesh_.transport, fmt::format("halo of set {}", set.state->name)))
      for (const std::int64_t number : numbers) of(rank).exports.push_back(local.of(number));
    for (auto& [rank, neighbour] : by_rank) part.neighbours.push_back(std::move(neighbour));
  }

  Residence local_values(const MapRows& map) const {
    const SetRows& from = mesh_.sets[map.from];
    const LocalNumbers& to = local_[map.to];
    // Rows of copies that are only read lead nowhere, and are not used.
    Residence data({ScalarType::i32, from.total(), map.arity});
    auto* values = reinterpret_cast<std::int32_t*>(data.initial().data());
    const auto copy_row = [&](std::size_t row, std::size_t local) {
      for (std::size_t k = 0; k < map.arity; ++k)
        values[local * map.arity + k] = to.of(map.values[row * map.arity + k]);
    };
    for (std::size_t at = 0; at < from.order.size(); ++at)
      copy_row(static_cast<std::size_t>(from.order[at]), at);
    for (std::size_t at = from.order.size(); at < from.order.size() + from.executed; ++at)
      copy_row(at, at);
    return data;
  }

  /// Puts rows of a set's dats in order, and fetches those of copies: one packet from each owner
  /// has the rows of all dats.
  void bring_values(std::size_t at) {
    const SetRows& set = mesh_.sets[at];
    if (set.dats.empty()) return;
    for (const std::size_t place : set.dats) put_in_order(set, mesh_.dats[place]);
    std::vector<Transport::Packet> packets;
    for (const HaloNeighbour& neighbour : parts_[at]->neighbours) {
      if (neighbour.exports.empty()) continue;
      std::vector<std::byte> packet;
      for (const std::size_t place : set.dats)
        for (const std::int32_t element : neighbour.exports)
          append_to<std::byte>(packet, row_of(mesh_.dats[place], element));
      packets.push_back({neighbour.rank, std::move(packet)});
    }
    const auto arrived = mesh_.transport.deliver(
        std::move(packets), fmt::format("halo of what is on set {}", set.state->name));
    std::vector<std::byte> row;
    for (const auto& packet : arrived) {
      Unpacking from(packet);
      const auto neighbour =
          std::ranges::find(parts_[at]->neighbours, packet.rank, &HaloNeighbour::rank);
      for (const std::size_t place : set.dats)
        for (const std::int32_t element : neighbour->imports) {
          row.clear();
          from.append_to(row, mesh_.dats[place].row);
          std::ranges::copy(row, row_of(mesh_.dats[place], element).begin());
        }
    }
  }

  static std::span<std::byte> row_of(DatRows& dat, std::int32_t element) {
    return std::span(dat.values).subspan(static_cast<std::size_t>(element) * dat.row, dat.row);
  }

  static void put_in_order(const SetRows& set, DatRows& dat) {
    std::vector<std::byte> ordered;
    ordered.reserve(set.total() * dat.row);
    for (const std::int32_t place : set.order) append_to<std::byte>(ordered, row_of(dat, place));
    ordered.resize(set.total() * dat.row);
    dat.values = std::move(ordered);
  }

  void change(MapRows& map, Residence values) {
    MapState& state = *map.state;
    session_.part_with(&state);
    state.values = std::move(values);
    ++state.version;
  }

  void change(DatRows& dat) {
    DatState& state = *dat.state;
    auto form = state.data.form();
    form.elements = parts_[dat.set]->sizes[3];
    Residence data(form);
    std::ranges::copy(dat.values, data.initial().data());
    free_memory(dat.values);
    state.data = std::move(data);
    state.is_halo_stale = false;
  }

  Session& session_;
  MeshRows& mesh_;
  std::vector<LocalNumbers> local_;              ///< by set
  std::vector<std::shared_ptr<SetPart>> parts_;  ///< by set
};

}  // namespace

void settle(Session& session, MeshRows& mesh) { Settling(session, mesh).run(); }

}  // namespace kiln::mesh
