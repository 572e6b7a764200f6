// From parts back to blocks of rows, so that a Mesh can be cut again.
#include "mesh/distributed/as_declared.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "mesh/distributed/blocks.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mesh_rows.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// Other rows in place of those that a Dat has.
void change_rows(DatState& dat, std::size_t rows, std::vector<std::byte> values) {
  auto form = dat.data.form();
  form.elements = 0;
  dat.data = Residence(form);
  form.elements = rows;
  Residence made(form);
  std::ranges::copy(values, made.initial().data());
  free_memory(values);
  dat.data = std::move(made);
  dat.halo_is_fresh();
  dat.is_poisoned = false;
}

/// Local numbers of elements; 0 where one is -1.
std::vector<std::int32_t> local_numbers(const SetPart& part,
                                        std::span<const std::int64_t> numbers) {
  std::vector<std::int32_t> order(part.numbers.size());
  std::iota(order.begin(), order.end(), 0);
  const auto number_of = [&](std::int32_t local) {
    return part.numbers[static_cast<std::size_t>(local)];
  };
  std::ranges::sort(order, {}, number_of);
  std::vector<std::int64_t> rising;
  rising.reserve(order.size());
  for (const std::int32_t local : order) rising.push_back(number_of(local));
  const NumberIndex index(rising);
  std::vector<std::int32_t> found;
  found.reserve(numbers.size());
  for (const std::int64_t number : numbers)
    found.push_back(number < 0 ? 0 : order[static_cast<std::size_t>(index.find(number))]);
  return found;
}

}  // namespace

AsDeclared::AsDeclared(Session& session, const AliveEverywhere& alive) : session_(session) {
  const auto& sets = alive.sets;
  const auto& maps = alive.maps;
  auto dats = alive.dats;
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
  // Loops run, and what was made for the parts as they are goes. From here on the Transport alone
  // may fail, and then the Mesh is of no more use.
  session.forget_parts();
  session.is_broken = true;
  for (const auto& map : mesh::alive(std::exchange(session.declared.above, {})))
    leave_out(*map, "is of the mesh as it was cut before");
  // One after the other, so that the old values of one at most are there along with its new ones.
  for (const auto& map : maps) {
    const auto numbers = Handles::make<Map>(map).fetch();
    map->values = resident({}, map->arity);
    map->declared.clear();
    map->declared.append(std::span<const std::int64_t>(numbers));
    ++map->version;
    maps_.push_back(map);
    give_back_memory();
  }
  const int rank = session.transport->rank();
  for (const auto& dat : dats) {
    const Dat handle = Handles::make<Dat>(dat);
    auto rows = handle.fetch_bytes();
    change_rows(*dat, Handles::state(handle.set())->blocks->count(rank), std::move(rows));
    dats_.push_back(dat);
    give_back_memory();
  }
  for (const auto& set : sets) {
    sets_.push_back({set, std::exchange(set->part, nullptr)});
    set->sizes.fill(set->blocks->count(rank));
  }
  session.is_partitioned = false;
  session.is_broken = false;
}

void AsDeclared::restore() {
  session_.is_broken = true;
  const auto part_of = [&](const Set& set) -> const SetPart& {
    return *std::ranges::find(sets_, Handles::state(set), &SetWas::state)->part;
  };
  for (const auto& map : maps_) {
    const std::vector<std::int64_t> rows = map->declared.plain();
    const std::size_t row = map->arity * sizeof(std::int64_t);
    const SetPart &from = part_of(map->from), &to = part_of(map->to);
    const auto bytes = from_blocks(*Handles::state(map->from), from, std::as_bytes(std::span(rows)),
                                   row, fmt::format("map {} as it was", map->name));
    std::vector<std::int64_t> numbers(bytes.size() / sizeof(std::int64_t));
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    // Copies that are only read lead nowhere.
    std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(from.sizes[2] * map->arity),
              numbers.end(), -1);
    map->values = resident(local_numbers(to, numbers), map->arity);
    map->declared = {};
    ++map->version;
  }
  for (const auto& dat : dats_) {
    const SetState& set = *Handles::state(dat->on.set());
    const SetPart& part = part_of(dat->on.set());
    const std::span<const std::byte> rows(dat->data.on_host(session_.queue, false),
                                          dat->data.bytes());
    const std::size_t row = dat->data.form().dim * size_of(dat->data.form().type);
    change_rows(*dat, part.sizes[3],
                from_blocks(set, part, rows, row, fmt::format("dat {} as it was", dat->name)));
  }
  for (SetWas& set : sets_) {
    set.state->sizes = set.part->sizes;
    set.state->part = std::move(set.part);
  }
  session_.is_partitioned = true;
  session_.is_broken = false;
}

}  // namespace kiln::mesh
