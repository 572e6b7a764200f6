// Maps between sets, and what their values must be.
#include "kiln/mesh/map.hpp"

#include <algorithm>
#include <limits>

#include "mesh/model/basics.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

/// Kernels number components by int; with as many elements no product wraps round.
constexpr std::size_t most_arity = std::numeric_limits<std::int32_t>::max();

/// Throws bad_input where values cannot be a Map's: their number, or one outside the target set.
void check_map_values(const std::string& name, const Set& from, const Set& to, std::size_t arity,
                      std::span<const std::int32_t> values) {
  if (arity == 0) refuse("map {}: arity 0, expected 1 or more", name);
  if (arity > most_arity) refuse("map {}: arity {}, expected at most {}", name, arity, most_arity);
  const std::size_t expected = from.total_size() * arity;
  if (values.size() != expected)
    refuse("map {}: {} values, expected {} ({} elements of {} with {} each)", name, values.size(),
           expected, from.total_size(), from.name(), arity);
  // As unsigned numbers negative ones are too large, too; the loop over all has no branch.
  const auto most = static_cast<std::uint32_t>(to.total_size());
  std::uint32_t greatest = 0;
  // Copies that are only read lead to nothing that is known here.
  if (Handles::state(from)->part != nullptr) values = values.first(from.exec_size() * arity);
  for (const auto value : values) greatest = std::max(greatest, static_cast<std::uint32_t>(value));
  if (values.empty() || greatest < most) return;
  const auto wrong = std::find_if(values.begin(), values.end(), [&](std::int32_t value) {
    return static_cast<std::uint32_t>(value) >= most;
  });
  const auto at = static_cast<std::size_t>(wrong - values.begin());
  refuse("map {}: element {}, component {} is {}, expected 0 to {} (set {})", name, at / arity,
         at % arity, *wrong, static_cast<std::int64_t>(to.total_size()) - 1, to.name());
}

}  // namespace

Map Mesh::map(std::string name, const Set& from, const Set& to, std::size_t arity,
              std::span<const std::int32_t> values, std::span<const std::int32_t> offsets) {
  check_name("map", name);
  check_owner(not_moved(session_), "map", name, from);
  check_owner(session_, "map", name, to);
  check_map_values(name, from, to, arity, values);
  if (!offsets.empty() && offsets.size() != arity)
    refuse("map {}: {} vertical offsets, expected none or {}", name, offsets.size(), arity);
  std::optional<Residence> device_offsets;
  if (!offsets.empty()) device_offsets = resident(offsets, arity);
  return Handles::keep<Map>(MapState{session_, std::move(name), from, to, arity,
                                     std::vector<std::int32_t>(offsets.begin(), offsets.end()),
                                     next_identity(), 0, resident(values, arity),
                                     std::move(device_offsets), Handles::state(from)->maps++});
}

const std::string& Map::name() const { return state_->name; }
const Set& Map::from() const { return state_->from; }
const Set& Map::to() const { return state_->to; }
std::size_t Map::arity() const { return state_->arity; }
std::span<const std::int32_t> Map::values() const { return state_->view(); }
std::span<const std::int32_t> Map::offsets() const { return state_->offsets; }

void Map::set_values(std::span<const std::int32_t> values) {
  check_map_values(name(), from(), to(), arity(), values);
  state_->session->part_with(state_.get());
  state_->session->throw_pending();
  auto* present = state_->values.on_host(state_->session->queue, true);
  std::copy(values.begin(), values.end(), reinterpret_cast<std::int32_t*>(present));
  ++state_->version;
}

}  // namespace kiln::mesh
