#include "kiln/mesh/map.hpp"

#include "mesh/object/map_values.hpp"
#include "mesh/object/session.hpp"

namespace kiln::mesh {

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
