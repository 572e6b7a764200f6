// Elements go to their owners, with their rows of maps and dats.
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
    unpack(mesh_.transport.deliver(std::move(packets),
                                   fmt::format("elements of set {}", set_.state->name)));
  }

 private:
  std::vector<Transport::Packet> pack() {
    std::map<std::int32_t, std::vector<std::size_t>> rows;
    for (std::size_t row = 0; row < set_.owners.size(); ++row)
      rows[set_.owners[row]].push_back(row);
    const std::int64_t first = set_.blocks->first(mesh_.transport.rank());
    std::vector<Transport::Packet> packets;
    for (const auto& [rank, which] : rows) {
      std::vector<std::byte> packet;
      std::vector<std::int64_t> numbers{static_cast<std::int64_t>(which.size())};
      for (const std::size_t row : which) numbers.push_back(first + static_cast<std::int64_t>(row));
      append_to<std::int64_t>(packet, numbers);
      for (const std::size_t map : set_.maps)
        for (const std::size_t row : which)
          append_to<std::int64_t>(packet, mesh_.maps[map].rows().subspan(
                                              row * mesh_.maps[map].arity, mesh_.maps[map].arity));
      for (const std::size_t dat : set_.dats) {
        const std::size_t bytes = mesh_.dats[dat].row;
        for (const std::size_t row : which)
          append_to<std::byte>(packet, present(mesh_.dats[dat]).subspan(row * bytes, bytes));
      }
      packets.push_back({rank, std::move(packet)});
    }
    return packets;
  }

  /// What a dat has now: rows of this part's block.
  static std::span<const std::byte> present(const DatRows& dat) {
    Residence& data = dat.state->data;
    return {data.on_host(dat.state->session->queue, false), data.bytes()};
  }

  /// What was packed is not needed any more.
  void free_rows() {
    for (const std::size_t map : set_.maps) {
      mesh_.maps[map].values = {};
      mesh_.maps[map].state->declared = {};
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
    for (auto& packet : packets) {
      Unpacking from(packet);
      const auto count = static_cast<std::size_t>(from.take<std::int64_t>());
      from.append_to(set_.numbers, count);
      for (const std::size_t map : set_.maps)
        from.append_to(mesh_.maps[map].values, count * mesh_.maps[map].arity);
      for (const std::size_t dat : set_.dats)
        from.append_to(mesh_.dats[dat].values, count * mesh_.dats[dat].row);
      packet.bytes = {};
    }
  }

  MeshRows& mesh_;
  SetRows& set_;
};

}  // namespace

void migrate(MeshRows& mesh) {
  for (auto& set : mesh.sets) SetMigration(mesh, set).run();
}

}  // namespace kiln::mesh
