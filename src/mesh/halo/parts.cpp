// What the Session of a distributed Mesh keeps.
#include "mesh/halo/parts.hpp"

namespace kiln::mesh {
Exchange& Parts::exchange_of(DatState& dat, const HaloClassPtr& halo) {
  auto& known = exchanges_[{&dat, halo->id}];
  if (!known)
    known = std::make_unique<Exchange>(session_, std::vector<HaloRead>{{&dat, halo}}, "it is read");
  return *known;
}

void Parts::forget(const void* state) {
  shares.gone(state);
  std::erase_if(exchanges_, [&](const auto& one) { return one.first.first == state; });
}

}  // namespace kiln::mesh
