#pragma once

#include "mesh/object/state.hpp"

namespace kiln::mesh {

/// What a loop runs over, without keeping it alive: the queue of loops belongs to the Session,
/// which all handles keep alive.
struct LoopOver {
  SetState* set = nullptr;
  SubsetState* subset = nullptr;
  std::size_t layers = 0;
  static LoopOver of(const Iteration& over) {
    return {Handles::state(over.set()).get(), over.subset().get(), over.layers()};
  }
  bool operator==(const LoopOver&) const = default;
};

}  // namespace kiln::mesh
