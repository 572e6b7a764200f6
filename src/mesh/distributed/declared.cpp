// What the parts of a distributed mesh declared, held against one another.
#include <algorithm>

#include "mesh/distributed/columns.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mesh_rows.hpp"
#include "mesh/distributed/mixing.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// Of a declaration, what all parts must agree on.
struct Item {
  std::string text;  ///< for messages: "map pecell (edges to cells, arity 2)"
  std::uint64_t digest() const {
    std::uint64_t sum = text.size();
    for (const char letter : text) sum = mixed(sum ^ static_cast<unsigned char>(letter));
    return sum;
  }
};

std::vector<Item> items_of(const MeshRows& mesh) {
  std::vector<Item> items;
  for (const auto& set : mesh.sets) items.push_back({fmt::format("set {}", set.state->name)});
  for (const auto& map : mesh.maps)
    items.push_back({fmt::format("map {} ({} to {}, arity {})", map.state->name,
                                 map.state->from.name(), map.state->to.name(), map.arity)});
  for (const auto& dat : mesh.dats)
    items.push_back(
        {fmt::format("dat {} (on {}, {} of {})", dat.state->name, dat.state->on.set().name(),
                     dat.state->data.form().dim, name_of(dat.state->data.form().type))});
  return items;
}

/// Throws on all parts where they declared different things.
void agree_on_items(const MeshRows& mesh) {
  Transport& transport = mesh.transport;
  const auto items = items_of(mesh);
  const std::array<std::int64_t, 3> counts{static_cast<std::int64_t>(mesh.sets.size()),
                                           static_cast<std::int64_t>(mesh.maps.size()),
                                           static_cast<std::int64_t>(mesh.dats.size())};
  const auto all = gather_values<std::int64_t>(transport, counts, "declarations");
  for (std::size_t at = 3; at < all.size(); at += 3)
    if (!std::equal(all.begin(), all.begin() + 3, all.begin() + static_cast<std::ptrdiff_t>(at)))
      refuse(
          "mesh: part {} declared {} sets, {} maps and {} dats, part 0 {}, {} and {}, expected "
          "the same on all",
          at / 3, all[at], all[at + 1], all[at + 2], all[0], all[1], all[2]);
  if (items.empty()) return;
  std::vector<std::uint64_t> mine;
  for (const Item& item : items) mine.push_back(item.digest());
  const auto digests = gather_values<std::uint64_t>(transport, mine, "declarations");
  // All parts throw what the one that differs has to say.
  together(transport, "declarations", [&] {
    for (std::size_t at = 0; at < items.size(); ++at)
      if (digests[at] != mine[at])
        refuse(
            "mesh: part {} declared {}, part 0 something else at that place, expected the same "
            "on all",
            transport.rank(), items[at].text);
  });
}

void find_blocks(MeshRows& mesh) {
  std::vector<std::int64_t> mine;
  for (const auto& set : mesh.sets) mine.push_back(static_cast<std::int64_t>(set.state->sizes[1]));
  if (mine.empty()) return;
  const auto all = gather_values<std::int64_t>(mesh.transport, mine, "sizes of sets");
  for (std::size_t at = 0; at < mesh.sets.size(); ++at) {
    auto blocks = std::make_shared<Blocks>();
    blocks->starts.push_back(0);
    for (std::size_t from = at; from < all.size(); from += mine.size())
      blocks->starts.push_back(blocks->starts.back() + all[from]);
    mesh.sets[at].blocks = mesh.sets[at].state->blocks = std::move(blocks);
  }
}

void check_set(const SetState& set) {
  if (set.part != nullptr || set.exchange != nullptr || set.sizes[0] != set.sizes[3])
    refuse("set {}: it has a halo already, expected Mesh::partition() to make it", set.name);
  if (set.has_subsets())
    refuse("set {}: it has subsets already, expected Mesh::partition() before they are made",
           set.name);
}

void check_map(const MeshRows& mesh, const MapRows& map) {
  const Blocks& from = *mesh.sets[map.from].blocks;
  const std::int64_t most = mesh.sets[map.to].blocks->size();
  const NumberList& rows = map.rows();
  for (std::size_t at = 0; at < rows.size(); ++at)
    if (rows[at] < 0 || rows[at] >= most)
      refuse("map {}: element {}, component {} is {}, expected 0 to {} (set {})", map.state->name,
             from.first(mesh.transport.rank()) + static_cast<std::int64_t>(at / map.arity),
             at % map.arity, rows[at], most - 1, map.state->to.name());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto [down, up] = reach_of(*map.state, at % map.arity);
    if (rows[at] + down < 0 || rows[at] + up >= most)
      refuse(
          "map {}: element {}, component {} is {}, which {} layers take to {}, expected 0 to {} "
          "(set {})",
          map.state->name,
          from.first(mesh.transport.rank()) + static_cast<std::int64_t>(at / map.arity),
          at % map.arity, rows[at], map.state->layers, rows[at] + (down < 0 ? down : up), most - 1,
          map.state->to.name());
  }
}

}  // namespace

std::size_t MeshRows::place_of(const SetState* state) const {
  const auto at =
      std::ranges::find_if(sets, [&](const SetRows& set) { return set.state.get() == state; });
  return static_cast<std::size_t>(at - sets.begin());
}

MeshRows take_declared(Session& session, const AliveEverywhere& alive) {
  MeshRows mesh{*session.transport};
  for (const auto& state : alive.sets) mesh.sets.push_back({state, {}});
  for (const auto& state : alive.maps) {
    MapRows map{state};
    map.from = mesh.place_of(Handles::state(map.state->from).get());
    map.to = mesh.place_of(Handles::state(map.state->to).get());
    map.arity = map.state->arity;
    mesh.sets[map.from].maps.push_back(mesh.maps.size());
    mesh.maps.push_back(std::move(map));
  }
  for (const auto& state : alive.dats) {
    if (Handles::state(state->on.set())->part != nullptr)
      continue;  // its set was declared in parts
    DatRows dat{state};
    dat.set = mesh.place_of(Handles::state(dat.state->on.set()).get());
    dat.row = dat.state->data.form().dim * size_of(dat.state->data.form().type);
    mesh.sets[dat.set].dats.push_back(mesh.dats.size());
    mesh.dats.push_back(std::move(dat));
  }
  agree_on_items(mesh);
  find_blocks(mesh);
  together(mesh.transport, "sets and maps", [&] {
    for (const auto& set : mesh.sets) check_set(*set.state);
    for (auto& map : mesh.maps) {
      if (map.state->declared.empty()) {
        const auto values = map.state->view();  // of a mesh in one part
        map.values.append(values);
      }
      check_map(mesh, map);
    }
    for (const auto& dat : mesh.dats)
      if (dat.state->data.is_free())
        refuse("dat {} was freed, expected its handles to go, too, before Mesh::partition()",
               dat.state->name);
  });
  return mesh;
}

std::uint64_t mesh_digest(const MeshRows& mesh) {
  // Sums, so that it does not matter who has which rows.
  std::uint64_t mine = 0;
  for (std::size_t at = 0; at < mesh.maps.size(); ++at) {
    const MapRows& map = mesh.maps[at];
    const auto first =
        static_cast<std::uint64_t>(mesh.sets[map.from].blocks->first(mesh.transport.rank()) *
                                   static_cast<std::int64_t>(map.arity));
    const std::uint64_t seed = mixed(at + 1);
    const NumberList& rows = map.rows();
    for (std::size_t k = 0; k < rows.size(); ++k)
      mine += mixed(mixed(seed ^ (first + k)) ^ static_cast<std::uint64_t>(rows[k]));
  }
  const auto all = gather_values<std::uint64_t>(mesh.transport, std::array{mine}, "digest");
  std::uint64_t sum = 0;
  for (const std::uint64_t part : all) sum += part;
  for (const auto& set : mesh.sets)
    sum = mixed(sum) ^ static_cast<std::uint64_t>(set.blocks->size());
  return sum;
}

}  // namespace kiln::mesh
