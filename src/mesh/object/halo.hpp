#pragma once

#include "mesh/object/state.hpp"

namespace kiln::mesh {

/// The two halves of bringing a Dat's halo up to date; its Set has a HaloExchange. Between them
/// kernels may use the Dat's other elements. Throws what the HaloExchange throws, and kiln::Error.
void begin_exchange(DatState& dat, const Queue& queue);
void end_exchange(DatState& dat, const Queue& queue);

}  // namespace kiln::mesh
