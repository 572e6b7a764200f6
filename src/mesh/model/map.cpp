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

void check_map_count(const std::string& name, const Set& from, std::size_t arity,
                     std::size_t values) {
  if (arity == 0) refuse("map {}: arity 0, expected 1 or more", name);
  if (arity > most_arity) refuse("map {}: arity {}, expected at most {}", name, arity, most_arity);
  const std::size_t expected = from.total_size() * arity;
  if (values != expected)
    refuse("map {}: {} values, expected {} ({} elements of {} with {} each)", name, values,
           expected, from.total_size(), from.name(), arity);
}

/// Throws bad_input where values cannot be a Map's: their number, or one outside the target set.
void check_map_values(const std::string& name, const Set& from, const Set& to, std::size_t arity,
                      std::span<const std::int32_t> values) {
  check_map_count(name, from, arity, values.size());
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

namespace {

/// Whether values are numbers in the whole set, which partition() checks.
bool takes_numbers(const Set& from, const Set& to) {
  const auto& state = *Handles::state(from);
  return state.session->is_distributed() && state.part == nullptr &&
         Handles::state(to)->part == nullptr;
}

void check_declaration(const SessionPtr& session, const std::string& name, const Set& from,
                       const Set& to, std::size_t arity, std::size_t offsets) {
  check_name("map", name);
  check_owner(not_moved(session), "map", name, from);
  check_owner(session, "map", name, to);
  if (session->is_partitioned)
    refuse("map {}: the mesh is partitioned already, expected maps before Mesh::partition()", name);
  if (offsets != 0 && offsets != arity)
    refuse("map {}: {} vertical offsets, expected none or {}", name, offsets, arity);
}

Map declare(MapState state, std::span<const std::int32_t> offsets) {
  state.offsets.assign(offsets.begin(), offsets.end());
  if (!offsets.empty()) state.device_offsets = mesh::resident(offsets, state.arity);
  state.number = Handles::state(state.from)->maps++;
  Session& session = *state.session;
  const Map made = Handles::keep<Map>(std::move(state));
  if (session.takes_declarations())
    session.add_declared(session.declared.maps, Handles::state(made));
  return made;
}

}  // namespace

Map Mesh::map(std::string name, const Set& from, const Set& to, std::size_t arity,
              std::span<const std::int32_t> values, std::span<const std::int32_t> offsets) {
  check_declaration(session_, name, from, to, arity, offsets.size());
  if (takes_numbers(from, to))
    return map_by_numbers(std::move(name), from, to, arity,
                          std::vector<std::int64_t>(values.begin(), values.end()), offsets);
  check_map_values(name, from, to, arity, values);
  return declare({session_,
                  std::move(name),
                  from,
                  to,
                  arity,
                  {},
                  next_identity(),
                  0,
                  resident(values, arity),
                  {}},
                 offsets);
}

Map Mesh::map_by_numbers(std::string name, const Set& from, const Set& to, std::size_t arity,
                         std::span<const std::int64_t> values,
                         std::span<const std::int32_t> offsets) {
  check_declaration(session_, name, from, to, arity, offsets.size());
  if (!takes_numbers(from, to)) {
    std::vector<std::int32_t> local;
    local.reserve(values.size());
    // What does not fit is outside of the set, whatever it is.
    for (const std::int64_t value : values)
      local.push_back(value < 0 || value > std::numeric_limits<std::int32_t>::max()
                          ? -1
                          : static_cast<std::int32_t>(value));
    const auto wrong = std::ranges::find(local, -1);
    if (wrong != local.end())
      refuse("map {}: value {} is {}, expected 0 to {} (set {})", name, wrong - local.begin(),
             values[static_cast<std::size_t>(wrong - local.begin())],
             static_cast<std::int64_t>(to.total_size()) - 1, to.name());
    return map(std::move(name), from, to, arity, local, offsets);
  }
  check_map_count(name, from, arity, values.size());
  MapState state{session_, std::move(name),     from, to, arity, {}, next_identity(),
                 0,        resident({}, arity), {}};
  state.declared.append(values);
  return declare(std::move(state), offsets);
}

void check_not_left_out(const MapState& map) {
  if (map.left_out != nullptr) refuse("map {}: it {}", map.name, map.left_out);
}

void leave_out(MapState& map, const char* why) {
  map.session->part_with(&map);
  map.left_out = why;
  map.values = resident({}, map.arity);
  map.declared.clear();
  ++map.version;
}

std::string wrong_layers(const MapState& map, std::size_t layers) {
  const SetState& from = *Handles::state(map.from);
  // Who declares parts himself knows what is above.
  if (from.part == nullptr || from.blocks == nullptr ||
      layers <= std::max<std::size_t>(map.layers, 2))
    return {};
  return fmt::format(
      "map {} was declared from {}, expected an extruded set of {} layers or more, so that parts "
      "have what is above",
      map.name,
      map.layers == 0 ? fmt::format("set {}", from.name)
                      : fmt::format("{} layers over set {}", map.layers, from.name),
      layers);
}

Map Mesh::map(std::string name, const ExtrudedSet& from, const Set& to, std::size_t arity,
              std::span<const std::int32_t> values, std::span<const std::int32_t> offsets) {
  if (offsets.size() != arity)
    refuse("map {}: {} vertical offsets, expected {}", name, offsets.size(), arity);
  const Map made = map(std::move(name), from.base(), to, arity, values, offsets);
  Handles::state(made)->layers = from.layers();
  return made;
}

Map Mesh::map_by_numbers(std::string name, const ExtrudedSet& from, const Set& to,
                         std::size_t arity, std::span<const std::int64_t> values,
                         std::span<const std::int32_t> offsets) {
  if (offsets.size() != arity)
    refuse("map {}: {} vertical offsets, expected {}", name, offsets.size(), arity);
  const Map made = map_by_numbers(std::move(name), from.base(), to, arity, values, offsets);
  Handles::state(made)->layers = from.layers();
  return made;
}

Map Map::above(std::size_t cells) const {
  MapState& state = *state_;
  check_not_left_out(state);
  check_partitioned(*Handles::state(from()), "maps to what is above");
  if (state.offsets.empty())
    refuse("map {}: it has no vertical offsets, which maps to what is above need", name());
  if (const auto wrong = wrong_layers(state, cells + 2); !wrong.empty()) refuse("{}", wrong);
  // Copies that are only read lead nowhere.
  std::vector<std::int32_t> values(state.view().begin(), state.view().end());
  const std::size_t rows =
      Handles::state(from())->part != nullptr ? from().exec_size() : from().total_size();
  const auto most = static_cast<std::int64_t>(to().total_size());
  for (std::size_t at = 0; at < rows * arity(); ++at) {
    const auto value = values[at] + static_cast<std::int64_t>(cells) * state.offsets[at % arity()];
    if (value < 0 || value >= most)
      refuse("map {}: element {}, component {} is {}, {} cells above {}, expected 0 to {} (set {})",
             name(), at / arity(), at % arity(), values[at], cells, value, most - 1, to().name());
    values[at] = static_cast<std::int32_t>(value);
  }
  MapState made{state.session,
                state.name,
                state.from,
                state.to,
                state.arity,
                state.offsets,
                next_identity(),
                0,
                resident(values, state.arity),
                {}};
  made.device_offsets = resident(state.offsets, state.arity);
  made.number = state.number;  // its cells are among those that parts have for the other one
  made.layers = state.layers > cells ? state.layers - cells : 0;
  Session& session = *state.session;
  const Map above = Handles::keep<Map>(std::move(made));
  if (session.transport != nullptr) add_weak(session.declared.above, Handles::state(above));
  return above;
}

const std::string& Map::name() const { return state_->name; }
const Set& Map::from() const { return state_->from; }
const Set& Map::to() const { return state_->to; }
std::size_t Map::arity() const { return state_->arity; }
std::span<const std::int32_t> Map::values() const {
  check_not_left_out(*state_);
  check_partitioned(*Handles::state(from()), "a look at local values of maps");
  return state_->view();
}
std::span<const std::int32_t> Map::offsets() const { return state_->offsets; }

void Map::set_values(std::span<const std::int32_t> values) {
  check_partitioned(*Handles::state(from()), "new values of maps");
  if (state_->session->is_partitioned)
    refuse("map {}: the mesh is partitioned, and its halos go by the values of its maps", name());
  check_map_values(name(), from(), to(), arity(), values);
  state_->session->part_with(state_.get());
  state_->session->throw_pending();
  auto* present = state_->values.on_host(state_->session->queue, true);
  std::copy(values.begin(), values.end(), reinterpret_cast<std::int32_t*>(present));
  ++state_->version;
}

}  // namespace kiln::mesh
