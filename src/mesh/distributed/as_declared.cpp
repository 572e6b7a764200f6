// From parts back to blocks of rows, so that a Mesh can be cut again.
#include "mesh/distributed/as_declared.hpp"

#include <algorithm>
#include <utility>

#include "mesh/distributed/blocks.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

Residence resident_rows(Residence::Form form, std::size_t rows, std::span<const std::byte> values) {
  form.elements = rows;
  Residence made(form);
  std::ranges::copy(values, made.initial().data());
  return made;
}

}  // namespace

AsDeclared::AsDeclared(Session& session) : session_(session) {
  const auto sets = alive(session.declared.sets);
  const auto maps = alive(session.declared.maps);
  auto dats = alive(session.declared.dats);
  std::erase_if(dats,
                [](const auto& dat) { return Handles::state(dat->on.set())->blocks == nullptr; });
  together(*session.transport, "partition", [&] {
    for (const auto& dat : dats)
      if (dat->data.is_wrapped())
        refuse(
            "dat {}: it is in a buffer of the application, expected none when a mesh is "
            "partitioned again",
            dat->name);
      else if (dat->data.is_free())
        refuse("dat {} was freed, expected its handles to go, too, before Mesh::partition()",
               dat->name);
  });
  const int rank = session.transport->rank();
  const auto rows_of = [&](const Set& set) { return Handles::state(set)->blocks->count(rank); };
  // Collective, and all that may fail; nothing has changed so far.
  std::vector<std::vector<std::int64_t>> numbers;
  for (const auto& map : maps) numbers.push_back(Handles::make<Map>(map).fetch());
  std::vector<Residence> data;
  for (const auto& dat : dats) {
    const Dat handle = Handles::make<Dat>(dat);
    data.push_back(resident_rows(dat->data.form(), rows_of(handle.set()), handle.fetch_bytes()));
  }
  session.forget_parts();
  for (std::size_t at = 0; at < maps.size(); ++at) {
    MapState& map = *maps[at];
    maps_.push_back({maps[at], std::exchange(map.values, resident({}, map.arity))});
    map.declared.clear();
    map.declared.append(std::span<const std::int64_t>(numbers[at]));
    numbers[at] = {};
    ++map.version;
  }
  for (std::size_t at = 0; at < dats.size(); ++at) {
    DatState& dat = *dats[at];
    dats_.push_back({dats[at], std::exchange(dat.data, std::move(data[at])), dat.is_halo_stale});
    dat.halo_is_fresh();
    dat.is_poisoned = false;
  }
  for (const auto& set : sets) {
    sets_.push_back({set, set->sizes, std::exchange(set->part, nullptr)});
    set->sizes.fill(set->blocks->count(rank));
  }
  session.is_partitioned = false;
}

void AsDeclared::restore() noexcept {
  for (SetWas& set : sets_) {
    set.state->sizes = set.sizes;
    set.state->part = std::move(set.part);
  }
  for (MapWas& map : maps_) {
    map.state->values = std::move(map.values);
    map.state->declared = {};
    ++map.state->version;
  }
  for (DatWas& dat : dats_) {
    dat.state->data = std::move(dat.data);
    dat.state->is_halo_stale = dat.is_halo_stale;
  }
  session_.is_partitioned = true;
}

}  // namespace kiln::mesh
