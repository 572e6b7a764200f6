// Elements go to their owners, with their rows of maps and dats.
#include <limits>

#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mesh_rows.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// One set: a packet to each owner has the number of elements, their numbers, and list by list the
/// rows of each map from the set and each dat on it.
class SetMigration {
 public:
  SetMigration(MeshRows& mesh, SetRows& set) : mesh_(mesh), set_(set) {}

  void run() {
    auto packets = pack();
    free_rows();
    give_back_memory();
    unpack(mesh_.transport.deliver(std::move(packets),
                                   fmt::format("elements of set {}", set_.state->name)));
  }

 private:
  std::vector<Transport::Packet> pack() {
    std::map<std::int32_t, std::vector<std::size_t>> rows;
    for (std::size_t row = 0; row < set_.owners.size(); ++row)
      rows[set_.owners[row]].push_back(row);
    std::size_t width = sizeof(std::int64_t);  // bytes of an element
    for (const std::size_t map : set_.maps) width += mesh_.maps[map].arity * bytes_of_number(map);
    for (const std::size_t dat : set_.dats) width += mesh_.dats[dat].row;
    const std::int64_t first = set_.blocks->first(mesh_.transport.rank());
    std::vector<Transport::Packet> packets;
    for (auto& [rank, which] : rows) {
      std::vector<std::byte> packet;
      packet.reserve(sizeof(std::int64_t) + which.size() * width);
      append_one(packet, static_cast<std::int64_t>(which.size()));
      for (const std::size_t row : which)
        append_one(packet, first + static_cast<std::int64_t>(row));
      for (const std::size_t map : set_.maps) {
        if (bytes_of_number(map) == sizeof(std::int32_t))
          append_rows<std::int32_t>(packet, mesh_.maps[map], which);
        else
          append_rows<std::int64_t>(packet, mesh_.maps[map], which);
      }
      for (const std::size_t dat : set_.dats) {
        const std::size_t bytes = mesh_.dats[dat].row;
        const auto values = present(mesh_.dats[dat]);
        for (const std::size_t row : which)
          append_to<std::byte>(packet, values.subspan(row * bytes, bytes));
      }
      free_memory(which);
      packets.push_back({rank, std::move(packet)});
    }
    return packets;
  }

  /// Of a map's numbers in packets: all parts know how large the set is that it leads to.
  std::size_t bytes_of_number(std::size_t map) const {
    return mesh_.sets[mesh_.maps[map].to].blocks->size() <= std::numeric_limits<std::int32_t>::max()
               ? sizeof(std::int32_t)
               : sizeof(std::int64_t);
  }
  template <class Number>
  static void append_one(std::vector<std::byte>& packet, Number number) {
    append_to<Number>(packet, std::span<const Number>(&number, 1));
  }
  template <class Number>
  static void append_rows(std::vector<std::byte>& packet, const MapRows& map,
                          const std::vector<std::size_t>& which) {
    for (const std::size_t row : which)
      for (std::size_t k = row * map.arity; k < (row + 1) * map.arity; ++k)
        append_one(packet, static_cast<Number>(map.rows()[k]));
  }

  /// What a dat has now: rows of this part's block.
  static std::span<const std::byte> present(const DatRows& dat) {
    Residence& data = dat.state->data;
    return {data.on_host(dat.state->session->queue, false), data.bytes()};
  }

  /// What was packed is not needed any more.
  void free_rows() {
    for (const std::size_t map : set_.maps) {
      mesh_.maps[map].values.clear();
      mesh_.maps[map].state->declared.clear();
    }
    for (const std::size_t dat : set_.dats) {
      DatState& state = *mesh_.dats[dat].state;
      state.session->part_with(&state);
      auto form = state.data.form();
      form.elements = 0;
      state.data = Residence(form);
    }
  }

  /// Blocks rise with the rank, so numbers rise, too.
  void unpack(std::vector<Transport::Packet> packets) {
    std::size_t all = 0;
    for (const auto& packet : packets)
      all += static_cast<std::size_t>(Unpacking(packet).take<std::int64_t>());
    set_.numbers.reserve(all);
    for (const std::size_t map : set_.maps)
      mesh_.maps[map].values.reserve(all * mesh_.maps[map].arity);
    for (const std::size_t dat : set_.dats)
      mesh_.dats[dat].values.reserve(all * mesh_.dats[dat].row);
    for (auto& packet : packets) {
      Unpacking from(packet);
      const auto count = static_cast<std::size_t>(from.take<std::int64_t>());
      from.append_to(set_.numbers, count);
      for (const std::size_t map : set_.maps) {
        if (bytes_of_number(map) == sizeof(std::int32_t))
          take_rows<std::int32_t>(from, mesh_.maps[map], count);
        else
          take_rows<std::int64_t>(from, mesh_.maps[map], count);
      }
      for (const std::size_t dat : set_.dats)
        from.append_to(mesh_.dats[dat].values, count * mesh_.dats[dat].row);
      free_memory(packet.bytes);
    }
  }
  template <class Number>
  static void take_rows(Unpacking& from, MapRows& map, std::size_t count) {
    for (std::size_t at = 0; at < count * map.arity; ++at)
      map.values.append(std::int64_t{from.take<Number>()});
  }

  MeshRows& mesh_;
  SetRows& set_;
};

}  // namespace

void migrate(MeshRows& mesh) {
  for (auto& set : mesh.sets) {
    SetMigration(mesh, set).run();
    give_back_memory();
  }
}

}  // namespace kiln::mesh
