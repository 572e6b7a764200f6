// What the Session of a distributed Mesh keeps.
#include "mesh/halo/parts.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// What no element should be: NaN, and of integers that with all bytes 0x5A.
std::array<std::byte, 8> odd_number(ScalarType type) {
  if (is_floating(type)) return scalar_bytes(type, std::numeric_limits<double>::quiet_NaN());
  std::array<std::byte, 8> bytes;
  bytes.fill(std::byte{0x5A});
  return bytes;
}

}  // namespace

Exchange& Parts::exchange_of(DatState& dat, const HaloClassPtr& halo) {
  auto& known = exchanges_[{&dat, halo->id}];
  if (!known)
    known = std::make_unique<Exchange>(session_, std::vector<HaloRead>{{&dat, halo}}, "it is read");
  return *known;
}

void Parts::poison(DatState& dat) {
  if (!dat.is_halo_stale || dat.is_poisoned || !dat.is_in_parts()) return;
  const SetState& set = *Handles::state(dat.on.set());
  std::vector<bool> is_fresh(set.sizes[3] - set.sizes[1]);
  for (const auto& known : dat.fresh_classes)
    for (const HaloNeighbour& neighbour : known->neighbours)
      for (const std::int32_t element : neighbour.imports)
        is_fresh[static_cast<std::size_t>(element) - set.sizes[1]] = true;
  const auto& form = dat.data.form();
  const std::size_t item = size_of(form.type);
  const auto number = odd_number(form.type);
  std::byte* const values = dat.data.on_host(session_.queue, true);
  for (std::size_t k = 0; k < is_fresh.size(); ++k) {
    if (is_fresh[k]) continue;
    std::byte* const row = values + (set.sizes[1] + k) * row_bytes(dat);
    for (std::size_t c = 0; c < form.dim; ++c) std::memcpy(row + c * item, number.data(), item);
  }
  dat.is_poisoned = true;
}

void Parts::forget(const void* state) {
  shares.gone(state);
  std::erase_if(exchanges_, [&](const auto& one) { return one.first.first == state; });
}

}  // namespace kiln::mesh
